/** A program inside the sandbox's network: passes connections to one port on to the proxy of Tau's process. */
import { writeSync } from "node:fs";
import { connect, createServer } from "node:net";

const { TAU_FORWARD_SOCKET: path = "", TAU_FORWARD_PORT: port = "0", TAU_FORWARD_FD: fd } = process.env;

const server = createServer({ allowHalfOpen: true }, (inside) => {
	const outside = connect({ path, allowHalfOpen: true });
	inside.pipe(outside);
	outside.pipe(inside);
	inside.on("error", () => outside.destroy());
	outside.on("error", () => inside.destroy());
});

const place = fd === undefined ? { port: Number(port), host: "127.0.0.1" } : { fd: Number(fd) };
server.listen(place, () => void writeSync(1, "ready\n"));
// The pipe ends with Tau.
process.stdin.on("end", () => process.exit(0)).resume();
