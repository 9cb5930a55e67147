/** Ten sessions in one process, with the same names for everything, do not affect each other. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { playModel, type PlayedModel } from "@tau/ai/testing";

import { callOf, extensionFixtureWith, type ExtensionFixture } from "../../../../test/support/extensions.ts";

const count = 10;
/** The session whose extension does not replace a protocol, but passes its requests on. */
const wrapping = 3;
/** A path at which no process can create a file. */
const denied = "/sys/tau-test-file.txt";

/** Where the shells of the extensions start. */
let base = "";
beforeAll(() => {
	base = realpathSync(mkdtempSync(join(tmpdir(), "tau-ten-")));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const openFixture = extensionFixtureWith(async (played: PlayedModel) => played);

/** The same providers, protocol, tools and fallback in each session; what they do differs. */
const extension = (id: number, url: string): string => `
	import { createBashTool, initTheme } from "@mariozechner/pi-coding-agent";
	import { createAssistantMessageEventStream, registerApiProvider, streamSimple, streamSimpleOpenAIResponses } from "@mariozechner/pi-ai";
	const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } };
	const answering = (text) => (model) => {
		const stream = createAssistantMessageEventStream();
		const message = { role: "assistant", content: [{ type: "text", text }], api: model.api, provider: model.provider, model: model.id, usage, stopReason: "stop", timestamp: 0 };
		stream.push({ type: "done", reason: "stop", message });
		stream.end();
		return stream;
	};
	export default (pi) => {
		const model = (id) => ({ id, name: id, reasoning: false, input: ["text"], contextWindow: 200000, maxTokens: 1000, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } });
		pi.registerProvider("acme", { baseUrl: "${url}", apiKey: "key-${id}-", api: "anthropic-messages", models: [model("m")] });
		pi.registerProvider("own", { baseUrl: "", streamSimple: answering("own stream of session-${id}-"), models: [model("o")] });
		registerApiProvider({ api: "homemade", streamSimple: answering("protocol of session-${id}-") });
		// One of Tau's own protocols is replaced, in one session by a function that calls it.
		const replaces = ${id} !== ${wrapping};
		registerApiProvider({
			api: "openai-responses",
			streamSimple: replaces ? answering("replaced by session-${id}-") : streamSimpleOpenAIResponses,
		});
		pi.registerProvider("fourth", { baseUrl: "http://127.0.0.1:1", apiKey: "k", api: "openai-responses", models: [model("f")] });
		pi.registerCommand("aside", { async handler(_args, ctx) {
			const context = { messages: [{ role: "user", content: "hi", timestamp: 0 }] };
			const { content, errorMessage } = await streamSimple(ctx.model, context, { apiKey: "k" }).result();
			ctx.ui.notify("aside: " + (content[0]?.text ?? errorMessage));
		} });
		pi.registerProvider("third", { baseUrl: "http://127.0.0.1:1", apiKey: "k", api: "homemade", models: [model("t")] });
		pi.registerFileWriteFallback(async ({ content }, ctx) => {
			ctx.ui.notify("fallback of session-${id}- for " + content);
			return true;
		});
		// Created once in the factory, and once more in each call: both belong to the session.
		const shell = createBashTool("${base}");
		pi.registerTool({
			name: "aside", label: "Aside", description: "A shell of the extension.",
			parameters: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
			async execute(toolCallId, params, signal) {
				const first = await shell.execute(toolCallId, params, signal);
				const again = await createBashTool("${base}").execute(toolCallId, { command: "echo the same shell is in $PWD" }, signal);
				return { content: [...first.content, ...again.content], details: {} };
			},
		});
	};`;

const steps = (id: number) => [
	callOf("bash", { command: `mkdir dir-${id}- && cd dir-${id}- && export MARK=mark-${id}-` }),
	callOf("write", { path: denied, content: `content-${id}-` }),
	callOf("aside", { command: `mkdir -p aside-${id}- && cd aside-${id}-` }),
	callOf("bash", { command: "echo $MARK in $PWD > where; cat where" }),
	callOf("write", { path: `note-${id}-.txt`, content: `note of session-${id}-` }),
	`Done session-${id}-.`,
	callOf("aside", { command: "pwd" }),
	"Done again.",
];

async function open(id: number, owned: AsyncDisposableStack): Promise<ExtensionFixture> {
	const played = await playModel({ steps: steps(id) });
	const files = { [`extension-${id}.ts`]: extension(id, played.anthropicUrl) };
	return owned.use(await openFixture(played, { files, model: "acme/m" }));
}

const lastText = ({ session }: ExtensionFixture): string => JSON.stringify(session.state.messages.at(-1));

async function ask(fixture: ExtensionFixture, model: string): Promise<string> {
	const found = fixture.extensions.runner.bound.registry.find(model);
	if (!found) throw new Error(`There is no ${model}.`);
	fixture.session.setModel(found);
	await fixture.prompt("hi");
	return lastText(fixture);
}

test("each session has its own model, providers, protocols, files, fallbacks, journal and shells", async () => {
	await using owned = new AsyncDisposableStack();
	const stages = await Promise.all(Array.from({ length: count }, (_, id) => open(id, owned)));
	await Promise.all(stages.map((fixture) => fixture.prompt("go")));
	for (const [id, fixture] of stages.entries()) {
		const { env } = fixture.extensions.runner.bound;
		expect(lastText(fixture)).toContain(`Done session-${id}-.`);
		expect(fixture.shown).toEqual([`notify: fallback of session-${id}- for content-${id}-`]);
		expect(readFileSync(join(fixture.cwd, `dir-${id}-`, "where"), "utf8")).toBe(
			`mark-${id}- in ${join(fixture.cwd, `dir-${id}-`)}\n`,
		);
		const changed = env.journal.entries.map(({ path }) => path);
		expect(changed).toEqual(expect.arrayContaining([denied, join(fixture.cwd, `note-${id}-.txt`)]));
		// What commands changed is found by watching the project.
		expect(changed.filter((path) => path !== denied && !path.startsWith(fixture.cwd))).toEqual([]);
		expect(env.journal.entries.every(({ entryId, toolCallId }) => entryId && toolCallId)).toBe(true);
		const text = fixture.played.requests.map(({ rawBody }) => rawBody).join("\n");
		expect(fixture.played.requests).toHaveLength(6);
		expect(text).toContain(`the same shell is in ${join(base, `aside-${id}-`)}`);
		expect(
			[...text.matchAll(/(?:session|mark|dir|content|note|key|aside)-(\d+)-/g)].map(([, other]) =>
				Number(other),
			),
		).toSatisfy((ids: number[]) => ids.every((other) => other === id));
	}
	const own = await Promise.all(stages.map((fixture) => ask(fixture, "own/o")));
	const third = await Promise.all(stages.map((fixture) => ask(fixture, "third/t")));
	const fourth = await Promise.all(stages.map((fixture) => ask(fixture, "fourth/f")));
	await Promise.all(stages.map((fixture) => fixture.prompt("/aside")));
	for (const [id, { shown }] of stages.entries()) {
		expect(own[id]).toContain(`own stream of session-${id}-`);
		expect(third[id]).toContain(`protocol of session-${id}-`);
		const replaced = id === wrapping ? "127.0.0.1" : `replaced by session-${id}-`;
		expect(fourth[id]).toContain(replaced);
		expect(shown.at(-1)).toContain("aside: ");
		expect(shown.at(-1)).toContain(replaced);
	}
});

test("a protocol that an extension replaces stays what it was in a session without it", async () => {
	await using owned = new AsyncDisposableStack();
	const replaced = await open(0, owned);
	const played = await playModel({ steps: [], fallback: "Played." });
	const provider = `export default (pi) => pi.registerProvider("fourth", {
		baseUrl: "${played.openaiUrl}", apiKey: "k", api: "openai-responses",
		models: [{ id: "f", name: "f", reasoning: false, input: ["text"], contextWindow: 200000, maxTokens: 1000, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } }],
	});`;
	const plain = owned.use(await openFixture(played, { files: { "plain.ts": provider }, model: "fourth/f" }));
	await plain.prompt("hi");
	expect(lastText(plain)).toContain("Played.");
	expect(await ask(replaced, "fourth/f")).toContain("replaced by session-0-");
});

test("the end of some sessions leaves the others unchanged", async () => {
	await using owned = new AsyncDisposableStack();
	const stages = await Promise.all(Array.from({ length: count }, (_, id) => open(id, owned)));
	await Promise.all(stages.map((fixture) => fixture.prompt("go")));
	const [leaving, remaining] = [stages.slice(0, count / 2), stages.slice(count / 2)];
	for (const fixture of leaving) await fixture[Symbol.asyncDispose]();
	expect(existsSync(leaving[0]?.cwd ?? "")).toBe(false);
	await Promise.all(remaining.map((fixture) => fixture.prompt("again")));
	for (const [index, fixture] of remaining.entries()) {
		const id = index + count / 2;
		expect(fixture.request(7)).toContain(`the same shell is in ${join(base, `aside-${id}-`)}`);
		expect(await ask(fixture, "third/t")).toContain(`protocol of session-${id}-`);
	}
});
