/** The sandbox as a user sees it: refusals in the transcript and the footer, /sandbox to allow them, and questions about ports. */
import { createServer, type AddressInfo } from "node:net";
import { homedir, tmpdir } from "node:os";
import { expect } from "bun:test";

import { launch } from "../support/launch.ts";
import { needs } from "../support/needs.ts";
import { openTau, type OpenTau } from "./driver.ts";

const test = needs("bwrap", "nsenter", "python3");

function bash(args: object) {
	return { answer: { blocks: [{ toolCall: { name: "bash", arguments: { ...args } } }] } };
}

const env = { TAU_SANDBOX: "required", TAU_CONTAINER: "none" };

/** A project that is not in a directory for temporary files, which the sandbox has of its own. */
async function open(
	steps: Parameters<typeof launch>[0]["steps"],
): Promise<OpenTau & { home: { project: string } }> {
	const parent = homedir().startsWith(tmpdir()) ? "/opt" : homedir();
	const home = await launch({ steps, fallback: "Done." }, "anthropic-messages", { parent });
	return await openTau({ steps: [] }, { home, env, cols: 100, rows: 30 });
}

test("what the sandbox denied is in the line of the call and in the footer, and /sandbox allows it", async () => {
	await using tau = await open([bash({ command: "touch /usr/tau-denied; true" }), "Tried."]);
	await using _home = tau.home;
	await tau.until("played-1");
	tau.type("go\r");
	await tau.until("Tried.");
	await tau.until("! bash $ touch /usr/tau-denied; true · sandbox: /usr/tau-denied");
	await tau.until("sandbox: 1 denied");
	tau.type("/sandbox\r");
	await tau.until("Denied by the sandbox");
	// A new file needs its directory.
	await tau.until("sandbox.writable: [/usr]");
	tau.press("enter");
	await tau.until("Allowed in this session.");
	await tau.untilGone("Denied by the sandbox");
});

test("a server that the model starts is offered, and its address is with the job", async () => {
	const server = createServer();
	const free = Promise.withResolvers<number>();
	server.listen(0, "127.0.0.1", () => {
		const { port } = server.address() as AddressInfo;
		server.close(() => free.resolve(port));
	});
	const port = await free.promise;
	await using tau = await open([
		bash({ command: `python3 -m http.server ${port}`, async: true }),
		"It runs.",
	]);
	await using _home = tau.home;
	await tau.until("played-1");
	tau.type("go\r");
	await tau.until("It runs.");
	await tau.until(`Make port ${port} reachable for you?`);
	await tau.until("1-3 or enter to select");
	tau.type("1");
	await tau.until(`Port ${port} is reachable at http://127.0.0.1:${port}`);
	await tau.until(`→ http://127.0.0.1:${port}`);
	expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200);
	tau.type("/jobs\r");
	await tau.until("Background jobs");
	await tau.until(new RegExp(`1 python3 -m http.server ${port} → http://127.0.0.1:${port}`));
	tau.press("escape");
});
