/** Imports from pi's main package work in the real, compiled program, down to nested sessions. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "bun:test";

import { launch, type Launched } from "../support/launch.ts";

const model = ["--model", "played/played-1"];

function writeFixture(tau: Launched, path: string, text: string): string {
	const file = join(tau.home, "..", path);
	mkdirSync(join(file, ".."), { recursive: true });
	writeFileSync(file, text);
	return file;
}

test("a tool of an extension runs its own session, with the user's models and keys", async () => {
	await using tau = await launch({
		steps: [
			{ answer: { blocks: [{ toolCall: { name: "ask_other", arguments: { question: "why?" } } }] } },
			"Because.",
			"It says: because.",
		],
	});
	const file = writeFixture(
		tau,
		"other.ts",
		`import { createAgentSession, SessionManager, DefaultResourceLoader, getAgentDir } from "@earendil-works/pi-coding-agent";
		import { Type } from "typebox";
		export default (pi) => {
			pi.registerTool({
				name: "ask_other", label: "Ask", description: "Asks another one", parameters: Type.Object({ question: Type.String() }),
				async execute(_id, { question }, _signal, _update, ctx) {
					const resourceLoader = new DefaultResourceLoader({
						cwd: ctx.cwd, agentDir: getAgentDir(), noExtensions: true, noSkills: true, systemPromptOverride: () => "You are the other one.",
					});
					await resourceLoader.reload();
					const { session } = await createAgentSession({
						cwd: ctx.cwd, model: ctx.model, resourceLoader, noTools: "all", sessionManager: SessionManager.inMemory(ctx.cwd),
					});
					await session.prompt(question);
					const text = session.getLastAssistantText();
					session.dispose();
					return { content: [{ type: "text", text: "The other one: " + text }], details: {} };
				},
			});
		};`,
	);
	const { code, out, err } = await tau.run(["-p", ...model, "-e", file, "ask why"]);
	expect({ code, out, err }).toEqual({ code: 0, out: "It says: because.\n", err: "" });
	expect(tau.played.requests[1]?.rawBody).toContain("You are the other one.");
	expect(tau.played.requests[2]?.rawBody).toContain("The other one: Because.");
});

test("an extension lists sessions, reads settings and wraps a built-in tool", async () => {
	await using tau = await launch({
		steps: [
			"Remembered.",
			{ answer: { blocks: [{ toolCall: { name: "read", arguments: { path: "a.txt" } } }] } },
			"Read.",
		],
	});
	await tau.run(["-p", ...model, "the first session"]);
	const file = writeFixture(
		tau,
		"look.ts",
		`import { createReadTool, SessionManager, SettingsManager, truncateHead, VERSION } from "@oh-my-pi/pi-coding-agent";
		export default (pi) => {
			pi.on("session_start", async (_event, ctx) => {
				const [last] = await SessionManager.list(ctx.cwd);
				const { reserveTokens } = SettingsManager.create(ctx.cwd).getCompactionSettings();
				ctx.ui.notify([last.firstMessage, typeof reserveTokens, VERSION !== "", truncateHead("a\\nb", { maxLines: 1 }).content].join(" | "));
			});
			const read = createReadTool(process.cwd(), {
				operations: { access: async () => {}, readFile: async (path) => Buffer.from("from elsewhere: " + path) },
			});
			pi.registerTool({ ...read, name: "read" });
		};`,
	);
	const { code, out, err } = await tau.run(["-p", ...model, "--no-session", "-e", file, "read a.txt"]);
	expect({ code, out }).toEqual({ code: 0, out: "Read.\n" });
	expect(err).toContain("the first session | number | true | a");
	expect(tau.played.requests[2]?.rawBody).toContain("from elsewhere: ");
});

test("the package.json of pi's package is found with a version, however it is looked up", async () => {
	await using tau = await launch({ steps: ["done"] });
	const file = writeFixture(
		tau,
		"where.ts",
		`import { createRequire } from "node:module";
		import { readFileSync } from "node:fs";
		import { fileURLToPath } from "node:url";
		import { VERSION } from "@mariozechner/pi-coding-agent";
		import { VERSION as omp } from "@oh-my-pi/pi-coding-agent";
		const name = "@mariozechner/pi-coding-agent/package.json";
		const near = createRequire(import.meta.url);
		export default (pi) => pi.on("session_start", (_, ctx) => {
			const files = [require.resolve(name), near.resolve(name), fileURLToPath(import.meta.resolve(name))];
			const same = files.every((one) => JSON.parse(readFileSync(one, "utf8")).version === VERSION);
			ctx.ui.notify([same, new Set(files).size, near("@oh-my-pi/pi-tui/package.json").name, VERSION, omp].join(" "));
		});`,
	);
	const { err } = await tau.run([...model, "-e", file, "-p", "hi"]);
	expect(err).toContain("true 1 @oh-my-pi/pi-tui 1.5.0 18.3.4");
});

test("an extension of omp imports from any file of a package: capabilities, config directories, tools and a status line", async () => {
	await using tau = await launch({ steps: ["done"] });
	writeFixture(
		tau,
		"project/.omp/skills/brew/SKILL.md",
		"---\nname: brew\ndescription: Brews tea\n---\nBoil water.",
	);
	writeFixture(tau, "project/note.txt", "a note\n");
	const file = writeFixture(
		tau,
		"capable.ts",
		`import { createTools } from "@oh-my-pi/pi-coding-agent";
		import { defineCapability, registerProvider } from "@oh-my-pi/pi-coding-agent/capability";
		import { skillCapability } from "@oh-my-pi/pi-coding-agent/capability/skill";
		import { findAllNearestProjectConfigDirs, findConfigFile, getConfigDirs } from "@oh-my-pi/pi-coding-agent/config";
		import { loadCapability } from "@oh-my-pi/pi-coding-agent/discovery";
		import { formatThing } from "@oh-my-pi/pi-coding-agent/tools/format-things";
		import { StatusLineComponent } from "@oh-my-pi/pi-tui/status-line";
		export default (pi) => pi.on("session_start", async (_, ctx) => {
			const { items } = await loadCapability(skillCapability.id, { cwd: ctx.cwd });
			defineCapability({ id: "teas", displayName: "Teas", description: "", key: (tea) => tea.name });
			registerProvider("teas", { id: "shelf", displayName: "Shelf", description: "", priority: 1, load: async () => ({ items: [{ name: "assam" }] }) });
			const teas = await loadCapability("teas");
			const [read, ...others] = await createTools({ cwd: ctx.cwd, hasUI: false }, ["read"]);
			const { content } = await read.execute("1", { path: "note.txt" });
			const line = new StatusLineComponent({ model: { id: "some-model" }, sessionManager: { getCwd: () => "/here" } });
			line.setHookStatus("mine", "brewing");
			ctx.ui.notify(JSON.stringify([items.find(({ name }) => name === "brew").content, teas.items[0].name, others.length, content[0].text]));
			const found = [findConfigFile("skills/brew/SKILL.md", { cwd: ctx.cwd }), ...getConfigDirs("skills", { cwd: ctx.cwd, existingOnly: true }).map((each) => each.path), ...findAllNearestProjectConfigDirs("skills", ctx.cwd + "/deep/down").map((each) => each.source + " " + each.path)];
			ctx.ui.notify("found " + found.map((path) => path.replace(ctx.cwd, "")).join("|") + typeof formatThing);
			ctx.ui.notify(line.render(60).join("|") + line.getTopBorder(60).width);
		});`,
	);
	const { err } = await tau.run([...model, "-e", file, "-p", "hi"]);
	expect(err).toContain('["Boil water.","assam",0,"a note\\n"]');
	expect(err).toContain("/here  ·  some-model|brewing");
	expect(err).toContain("found /.omp/skills/brew/SKILL.md|/.omp/skills|.omp /.omp/skillsundefined\n");
	expect(err).toContain(
		"imports names that Tau does not have; they are undefined: formatThing (@oh-my-pi/pi-coding-agent/tools/format-things).",
	);
});

test("a patch of a private member that Tau has no use for is named, and the extension works otherwise", async () => {
	await using tau = await launch({ steps: ["done"] });
	const file = writeFixture(
		tau,
		"diagrams.ts",
		`import { Markdown } from "@mariozechner/pi-tui";
		const proto = Markdown.prototype as any;
		const original = proto.renderToken;
		proto.renderToken = function (token, ...rest) { return original.call(this, token, ...rest); };
		export default (pi) => pi.on("session_start", (_, ctx) => ctx.ui.notify("still here"));`,
	);
	const { out, err } = await tau.run([...model, "-e", file, "-p", "hi"]);
	expect(out).toBe("done\n");
	expect(err).toContain(
		"Extension diagrams replaces Markdown.prototype.renderToken, which has no effect: Tau's Markdown has no tokens",
	);
	expect(err).toContain("still here");
});
