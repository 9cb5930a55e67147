/** Promise 15: sessions in one process do not touch each other. */
import { expect } from "bun:test";

import type { Client, ClientSession } from "../client.ts";
import {
	call,
	lastRequest,
	openHome,
	release,
	toolNames,
	untilWaiting,
	waitsFor,
	type Home,
	type Setup,
	conversationIn,
} from "../home.ts";
import type { Row } from "../row.ts";

interface Open extends AsyncDisposable {
	home: Home;
	session: ClientSession;
}

async function open(client: Client, setup: Setup, model?: string): Promise<Open> {
	await using owned = new AsyncDisposableStack();
	const home = owned.use(await openHome(setup));
	const session = owned.use(await client.open(home, model === undefined ? {} : { model }));
	const kept = owned.move();
	return { home, session, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

const look = call("bash", { command: 'echo "harbour is [$HARBOUR] in $(pwd)"' });

async function checkShells(client: Client): Promise<void> {
	await using one = await open(client, {
		steps: [call("bash", { command: "export HARBOUR=kiel" }), "Set.", look],
	});
	await using other = await open(client, { steps: [look] });
	await one.session.prompt("set it");
	await Promise.all([one.session.prompt("look"), other.session.prompt("look")]);
	expect(conversationIn(lastRequest(one.home))).toContain(`harbour is [kiel] in ${one.home.project}`);
	expect(conversationIn(lastRequest(other.home))).toContain(`harbour is [] in ${other.home.project}`);
}

async function checkEnds(client: Client): Promise<void> {
	const waiting = call("bash", { command: `export HARBOUR=kiel; ${waitsFor("go")}` });
	await using one = await open(client, { steps: [waiting, "Gone on.", look] });
	{
		await using other = await open(client, { steps: [{ fault: { silent: true } }] });
		await one.session.submit("begin");
		await untilWaiting(one.home, "go");
		await other.session.submit("begin");
		await other.home.played.waitForRequest(1);
		await other.session.abort();
	}
	release(one.home, "go");
	await one.session.idle();
	await one.session.prompt("look");
	expect(conversationIn(lastRequest(one.home))).toContain("harbour is [kiel]");
}

/** Adds a tool and forbids the other tools. */
const strict = `import { Type } from "@sinclair/typebox";
export default (pi) => {
	pi.registerTool({
		name: "greet", label: "Greet", description: "Greets somebody", parameters: Type.Object({}),
		execute: async () => ({ content: [{ type: "text", text: "Hello" }] }),
	});
	pi.on("tool_call", () => ({ block: true, reason: "blocked by the neighbor" }));
	pi.on("input", ({ text }) => ({ action: "transform", text: text + " for the neighbor" }));
};`;

async function checkExtensions(client: Client): Promise<void> {
	await using one = await open(client, { extensions: { strict }, steps: [look] });
	await using other = await open(client, { steps: [look] });
	await Promise.all([one.session.prompt("look"), other.session.prompt("look")]);
	expect(toolNames(lastRequest(one.home))).toContain("greet");
	expect(conversationIn(lastRequest(one.home))).toContain("blocked by the neighbor");
	expect(toolNames(lastRequest(other.home))).not.toContain("greet");
	expect(conversationIn(lastRequest(other.home))).not.toContain("the neighbor");
}

/** A stream function in an extension: `streamSimple`. */
const voice = (
	word: string,
): string => `import { createAssistantMessageEventStream, registerApiProvider } from "@mariozechner/pi-ai";
function streamSimple(model) {
	const stream = createAssistantMessageEventStream();
	const message = {
		role: "assistant", content: [{ type: "text", text: "The voice of ${word}." }],
		api: model.api, provider: model.provider, model: model.id, stopReason: "stop", timestamp: Date.now(),
		usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2,
			cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } },
	};
	stream.push({ type: "start", partial: message });
	stream.push({ type: "done", reason: "stop", message });
	stream.end();
	return stream;
}`;

/** A provider with its own stream function, under an API name that the other session uses, too. */
const provider = (word: string): string => `${voice(word)}
export default (pi) => {
	pi.registerProvider("own", {
		api: "own-api", baseUrl: "http://127.0.0.1:9", apiKey: "none", streamSimple,
		models: [{ id: "voice", name: "Voice", reasoning: false, input: ["text"],
			cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 100000, maxTokens: 1000 }],
	});
};`;

/** Takes the place of the protocol by which all sessions ask their models. */
const protocol = (word: string): string => `${voice(word)}
export default () => registerApiProvider({ api: "anthropic-messages", streamSimple });`;

async function checkProviders(client: Client): Promise<void> {
	await using one = await open(client, { extensions: { voice: provider("Ada") } }, "own/voice");
	await using other = await open(client, { extensions: { voice: provider("Bob") } }, "own/voice");
	await one.session.prompt("who are you?");
	await other.session.prompt("who are you?");
	expect(one.session.shownText()).toContain("The voice of Ada.");
	expect(other.session.shownText()).toContain("The voice of Bob.");
}

async function checkProtocols(client: Client): Promise<void> {
	await using one = await open(client, { extensions: { voice: protocol("Ada") } });
	await using other = await open(client, { extensions: { voice: protocol("Bob") } });
	await using plain = await open(client, { steps: ["The voice of the model."] });
	const all = [one, other, plain];
	await Promise.all(all.map(({ session }) => session.prompt("who are you?")));
	for (const [at, word] of ["Ada", "Bob", "the model"].entries())
		expect(all[at]?.session.shownText()).toContain(`The voice of ${word}.`);
}

/** Runs commands with a tool of its own making, as extensions that wrap built-in tools do. */
const wrapper = `import { createBashTool } from "@mariozechner/pi-coding-agent";
import { Type } from "@sinclair/typebox";
export default (pi) => {
	pi.registerTool({
		name: "sh", label: "Shell", description: "Runs a command", parameters: Type.Object({ command: Type.String() }),
		execute: (id, { command }, signal, onUpdate, ctx) =>
			createBashTool(ctx.cwd).execute(id, { command }, signal, onUpdate),
	});
};`;

async function checkExtensionTools(client: Client): Promise<void> {
	const extensions = { wrapper };
	const set = call("sh", { command: "export HARBOUR=kiel; cd /" });
	const seen = call("sh", { command: 'echo "harbour is [$HARBOUR] in $(pwd)"' });
	await using one = await open(client, { extensions, steps: [set] });
	await using other = await open(client, { extensions, steps: [seen] });
	await one.session.prompt("set it");
	await other.session.prompt("look");
	expect(conversationIn(lastRequest(other.home))).toContain(`harbour is [] in ${other.home.project}`);
}

/** A path at which no file can be created, even by root. */
const forbidden = "/sys/tau-matrix-file.txt";

async function checkFallbacks(client: Client): Promise<void> {
	const helpful = "export default (pi) => pi.registerFileWriteFallback(async () => true);";
	const steps = [call("write", { path: forbidden, content: "of one session" })];
	const settings = 'permissions:\n  allow: ["Edit(//sys/**)"]\n';
	await using one = await open(client, { extensions: { helpful }, steps, settings });
	await using other = await open(client, { steps, settings });
	await one.session.prompt("write it");
	await other.session.prompt("write it");
	expect(conversationIn(lastRequest(one.home))).not.toContain('"is_error":true');
	expect(conversationIn(lastRequest(other.home))).toContain('"is_error":true');
}

async function checkTen(client: Client): Promise<void> {
	await using owned = new AsyncDisposableStack();
	const numbers = Array.from({ length: 10 }, (_, at) => at);
	const all = await Promise.all(
		numbers.map(async (at) => owned.use(await open(client, { steps: [look, `Answer ${at}.`] }))),
	);
	await Promise.all(all.map(({ session }, at) => session.prompt(`question ${at}`)));
	for (const [at, { home, session }] of all.entries()) {
		expect(home.played.requests).toHaveLength(2);
		expect(conversationIn(lastRequest(home))).toContain(`question ${at}`);
		expect(conversationIn(lastRequest(home))).toContain(`harbour is [] in ${home.project}`);
		expect(session.shownText()).toContain(`Answer ${at}.`);
	}
}

type SideBySide = Pick<Row, "id" | "title" | "check">;

const checks: readonly SideBySide[] = [
	{ id: "side-by-side/shells", title: "two sessions have a shell each", check: checkShells },
	{
		id: "side-by-side/ends",
		title: "the end of one session leaves the run and the shell of the other alone",
		check: checkEnds,
	},
	{
		id: "side-by-side/extensions",
		title: "the extensions of one session do nothing in the other",
		check: checkExtensions,
	},
	{
		id: "side-by-side/providers",
		title: "two sessions may have a provider of the same name, each its own",
		check: checkProviders,
	},
	{
		id: "side-by-side/protocols",
		title: "an extension that replaces a built-in protocol does so in its own session alone",
		check: checkProtocols,
	},
	{
		id: "side-by-side/extension-tools",
		title: "the tools that extensions make for themselves have a shell per session",
		check: checkExtensionTools,
	},
	{
		id: "side-by-side/fallbacks",
		title: "an extension that writes files where a session may not does so in its own session alone",
		check: checkFallbacks,
	},
	{ id: "side-by-side/ten", title: "ten sessions run side by side", check: checkTen },
];

export const sideBySide: readonly Row[] = checks.map((row) => ({
	...row,
	needs: ["sideBySide"],
	isAlone: true,
}));
