/** A client is asked about ports that cross the sandbox; for an ordinary user, with the compiled program. */
import { createServer, type AddressInfo } from "node:net";
import { afterAll, expect, setDefaultTimeout } from "bun:test";

import { launchAsUser, removeCopies, sandboxVariants } from "../support/as-user.ts";
import { needs } from "../support/needs.ts";
import { isEvent, startRpc, type Frame } from "./rpc-process.ts";

// The first test may have to compile.
setDefaultTimeout(240_000);
afterAll(removeCopies);

const hasPrograms = Bun.which("python3") !== null && Bun.which("curl") !== null;
const [bubblewrap] = sandboxVariants([]);
const test = hasPrograms && bubblewrap ? bubblewrap.test : needs("python3", "curl");

function call(name: string, args: object) {
	return { answer: { blocks: [{ toolCall: { name, arguments: { ...args } } }] } };
}

type Asked = Frame & {
	request: { id: string; title?: string; choices: { id: string; covers?: string[] }[] };
};

const isAsked = isEvent("request_opened");

async function freePort(): Promise<number> {
	const server = createServer();
	const { promise, resolve } = Promise.withResolvers<number>();
	server.listen(0, "127.0.0.1", () => {
		const { port } = server.address() as AddressInfo;
		server.close(() => resolve(port));
	});
	return await promise;
}

test("a server that the model starts is reachable for the user after one yes", async () => {
	const port = await freePort();
	const steps = [call("bash", { command: `python3 -m http.server ${port}`, async: true }), "It runs."];
	await using tau = await launchAsUser({ steps, fallback: "Done." });
	await using rpc = startRpc(tau);
	await rpc.ask({ type: "set_request_kinds", kinds: ["approval"] });
	await rpc.ask({ type: "prompt", message: "start the server" });
	const { request } = (await rpc.until(isAsked)) as Asked;
	expect(request.title).toBe(`Make port ${port} reachable for you?`);
	expect(request.choices.map(({ id }) => id)).toEqual(["session", "project", "no"]);
	await rpc.ask({ type: "answer_request", requestId: request.id, answer: { choice: "session" } });
	const opened = await rpc.until(isEvent("port_update"));
	expect(opened).toMatchObject({ port, address: `127.0.0.1:${port}`, state: "open", jobId: "1" });
	expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200);
	expect(await rpc.ask({ type: "list_grants" })).toMatchObject({
		data: { grants: [{ rule: `port ${port} of the sandbox`, scope: "session" }] },
	});
});

test("a service of the user is asked about when a command cannot reach it, and reached by the next", async () => {
	using service = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("user data") });
	const command = `curl -sS http://127.0.0.1:${service.port}/`;
	const steps = [call("bash", { command }), call("bash", { command }), "Done."];
	await using tau = await launchAsUser({ steps });
	await using rpc = startRpc(tau);
	await rpc.ask({ type: "set_request_kinds", kinds: ["approval"] });
	await rpc.ask({ type: "prompt", message: "look at my data" });
	const { request } = (await rpc.until(isAsked)) as Asked;
	expect(request.title).toBe(`Allow 127.0.0.1:${service.port} (your machine)?`);
	await rpc.ask({ type: "answer_request", requestId: request.id, answer: { choice: "session" } });
	await rpc.until(isEvent("agent_end"));
	expect(rpc.frames.filter(isAsked)).toHaveLength(1);
	const last = tau.played.requests.at(-1)?.rawBody ?? "";
	expect(last).toContain("It is reachable now. The command was not run again");
	expect(last).toContain("user data");
});
