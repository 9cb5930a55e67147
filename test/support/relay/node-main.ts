/** A node as a process of its own: `bun node-main.ts`, with the variables of `tau relay`. Prints its address; ends with its standard input. */
import { relayOptions, startRelay } from "@tau/relay";

const relay = await startRelay({
	...relayOptions(process.env),
	log: (line) => process.stderr.write(`${line}\n`),
});
process.stdout.write(`${relay.url}\n`);
process.on("SIGTERM", () => {
	void relay
		.drain()
		.then(() => relay[Symbol.asyncDispose]())
		.then(() => process.exit(0));
});
// A test that was killed leaves no node behind.
for await (const _ of process.stdin.resume()) continue;
process.exit(0);
