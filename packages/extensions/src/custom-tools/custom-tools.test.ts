/** Custom tools in a directory are called like any other: modules of omp's kind, and programs. */
import { describe, expect, test } from "bun:test";
import {
	chmodSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	statSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { playModel } from "@tau/ai/testing";

import { discoverExtensions } from "../load/discover.ts";
import { plainTheme } from "../ui/plain-theme.ts";
import { callOf, extensionFixtureWith, type ExtensionFixture } from "../../../../test/support/extensions.ts";

const openFixture = extensionFixtureWith(playModel);
const tools = "home/.tau/agent/tools";

function results({ session }: ExtensionFixture): { text: string; isError: boolean }[] {
	return session.state.messages.flatMap((message) =>
		message.role === "toolResult"
			? [
					{
						text: message.content.map((part) => (part.type === "text" ? part.text : part.type)).join("|"),
						isError: message.isError,
					},
				]
			: [],
	);
}

/** A module with one tool; the body of `execute` returns the text. */
const moduleTool = (name: string, body: string, more = ""): string =>
	`export default (pi) => ({
		name: "${name}", label: "${name}", description: "Does ${name}",
		parameters: pi.zod.object({ word: pi.zod.string().optional() }),
		async execute(toolCallId, params, onUpdate, ctx, signal) { ${body} },
		${more}
	});`;
const text = (expression: string): string =>
	`return { content: [{ type: "text", text: String(${expression}) }] };`;

describe("a module", () => {
	test("is called with omp's order of arguments, and uses what its factory received", async () => {
		const body = `onUpdate?.({ content: [{ type: "text", text: "busy" }] });
			const { stdout } = await pi.exec("echo", ["hi"], { signal });
			${text(`[toolCallId.length > 0, params.word, stdout.trim(), pi.hasUI, pi.cwd === ctx.cwd, ctx.isIdle(), signal.aborted].join()`)}`;
		await using opened = await openFixture(
			{ steps: [callOf("speak", { word: "yes" }), "Ok."] },
			{ found: { [`${tools}/speak.ts`]: moduleTool("speak", body) } },
		);
		await opened.prompt("go");
		expect(results(opened)).toEqual([{ text: "true,yes,hi,false,true,false,false", isError: false }]);
		const updates = opened.events.filter(({ type }) => type === "tool_execution_update");
		expect(JSON.stringify(updates)).toContain("busy");
	});

	test("reads settings, and knows whether anything is asked about", async () => {
		const body = text(`[ctx.settings.get("edit.mode"), typeof ctx.autoApprove, ctx.isIdle()].join()`);
		await using opened = await openFixture(
			{ steps: [callOf("look", {}), "Ok."] },
			{ found: { [`${tools}/look.ts`]: moduleTool("look", body) } },
		);
		await opened.prompt("go");
		expect(results(opened)).toEqual([{ text: "auto,boolean,false", isError: false }]);
	});

	test("may return several tools, follow the session's lifecycle, and use TypeBox; an exception is a failed result", async () => {
		const source = `import { appendFileSync } from "node:fs";
			export default async (pi) => ["one", "two"].map((name) => ({
				name, description: name, parameters: pi.typebox.Type.Object({}),
				execute: async () => { if (name === "two") throw new Error("no luck"); ${text("name")} },
				onSession(event, ctx) { appendFileSync(ctx.cwd + "/heard", name + " " + event.reason + "\\n"); },
			}));`;
		await using opened = await openFixture(
			{ steps: [callOf("one"), callOf("two"), "Ok."] },
			{ found: { "home/.omp/agent/tools/pair/index.ts": source } },
		);
		await opened.prompt("go");
		expect(results(opened)).toEqual([
			{ text: "one", isError: false },
			{ text: "no luck", isError: true },
		]);
		expect(readFileSync(join(opened.cwd, "heard"), "utf8")).toBe("one start\ntwo start\n");
	});

	test("that is hidden is not offered to the model", async () => {
		const found = {
			[`${tools}/seen.ts`]: moduleTool("seen", text("1")),
			[`${tools}/secret.ts`]: moduleTool("secret", text("1"), "hidden: true,"),
		};
		await using opened = await openFixture({ steps: ["Ok."] }, { found });
		await opened.prompt("go");
		expect(opened.request(0)).toContain('"seen"');
		expect(opened.request(0)).not.toContain('"secret"');
	});

	test("gets events of the session with their data", async () => {
		const more = `onSession(event, ctx) { require("node:fs").appendFileSync(ctx.cwd + "/heard", JSON.stringify(event) + "\\n"); },`;
		await using opened = await openFixture(
			{
				steps: [
					callOf("todo", { ops: [{ op: "init", list: [{ phase: "House", items: ["sweep"] }] }] }),
					"Tired.",
					"Still.",
				],
			},
			{
				found: { [`${tools}/hearing.ts`]: moduleTool("hearing", text("1"), more) },
				tools: ["todo"],
				settings: "todo: { reminders: 1 }",
			},
		);
		await opened.prompt("go");
		const received = readFileSync(join(opened.cwd, "heard"), "utf8").trim().split("\n");
		expect(received.map((line) => JSON.parse(line) as unknown)).toEqual([
			{ reason: "start" },
			{
				reason: "todo_reminder",
				todos: [{ content: "sweep", status: "in_progress" }],
				attempt: 1,
				maxAttempts: 1,
			},
		]);
	});

	test("that previews a change applies it when the model resolves it", async () => {
		const body = `pi.pushPendingAction({ label: "rename", sourceToolName: "preview",
				apply: async (reason) => ({ content: [{ type: "text", text: "renamed: " + reason }] }) });
			${text('"call resolve"')}`;
		await using opened = await openFixture(
			{ steps: [callOf("preview"), callOf("resolve", { action: "apply", reason: "fine" }), "Ok."] },
			{ found: { [`${tools}/preview.ts`]: moduleTool("preview", body) }, tools: ["resolve"] },
		);
		await opened.prompt("go");
		expect(results(opened).map(({ text: message }) => message)).toEqual(["call resolve", "renamed: fine"]);
	});

	test("cannot take the name of a built-in tool, an extension's, or another custom tool", async () => {
		const extension = `export default (pi) => pi.registerTool({ name: "mine", description: "", parameters: {}, execute: async () => { ${text('"extension"')} } });`;
		await using opened = await openFixture(
			{ steps: [callOf("mine"), callOf("same"), "Ok."] },
			{
				files: { "mine.ts": extension },
				found: {
					[`${tools}/a.ts`]: moduleTool("read", text('"a"')),
					[`${tools}/b.ts`]: moduleTool("mine", text('"b"')),
					[`${tools}/c.ts`]: moduleTool("same", text('"c"')),
					[`${tools}/d.ts`]: moduleTool("same", text('"d"')),
				},
			},
		);
		await opened.prompt("go");
		expect(results(opened).map(({ text: message }) => message)).toEqual(["extension", "c"]);
		const problems = opened.extensions.problems
			.map(({ path, error }) => `${path.slice(-4)} ${error}`)
			.toSorted();
		expect(problems).toEqual([
			"a.ts The tool read is not used: a built-in tool already has that name.",
			`b.ts The tool mine is not used: ${join(opened.folder, "mine.ts")} already has that name.`,
			`d.ts The tool same is not used: ${join(opened.agentDir, "tools/c.ts")} already has that name.`,
		]);
	});

	test("draws its calls and results with omp's order of arguments", async () => {
		const more = `renderCall: (args, options, theme) => [args.word, options.expanded, options.spinnerFrame, typeof theme.fg].join(),
			renderResult: (result, options, theme, args) => [result.content.length, options.isPartial, options.spinnerFrame, typeof theme.fg, args.word].join(),`;
		await using opened = await openFixture(
			{ steps: [] },
			{ found: { [`${tools}/drawn.ts`]: moduleTool("drawn", text("1"), more) } },
		);
		const definition = opened.extensions.runner.tools.definition("drawn");
		const context = { args: { word: "w" }, expanded: true, isPartial: false, elapsedMs: 250 } as never;
		const options = { expanded: true, isPartial: true };
		const call: unknown = definition?.renderCall?.({ word: "w" } as never, plainTheme as never, context);
		const result: unknown = definition?.renderResult?.(
			{ content: [] },
			options,
			plainTheme as never,
			context,
		);
		expect([call, result]).toEqual(["w,true,,function", "0,true,3,function,w"]);
	});

	test("that is invalid is reported with the reason, and affects nothing else", async () => {
		await using opened = await openFixture(
			{ steps: ["Ok."] },
			{
				found: {
					[`${tools}/good.ts`]: moduleTool("good", text("1")),
					[`${tools}/nothing.ts`]: "export default () => {};",
					[`${tools}/half.ts`]: 'export default () => ({ name: "half" });',
					[`${tools}/notes.md`]: "# Notes",
				},
			},
		);
		expect(opened.extensions.toolNames).toEqual(["good"]);
		expect(opened.extensions.problems.map(({ error }) => error.replace(/ \(.*/, "")).toSorted()).toEqual([
			"It does not return a valid tool: a tool needs a name, parameters and execute.",
			"It returns no tool.",
		]);
	});

	test("of a project is not loaded until the project is trusted", async () => {
		const found = {
			"work/.tau/tools/mine.ts": moduleTool("mine", text("1")),
			"work/.tau/tools/p.sh": describing({ description: "x" }),
		};
		await using stranger = await openFixture({ steps: [] }, { found });
		expect(stranger.extensions.toolNames).toEqual([]);
		await using trusted = await openFixture({ steps: [] }, { found, isTrusted: true });
		expect(trusted.extensions.toolNames).toEqual(["mine", "p"]);
	});
});

/** A script that describes itself, and runs `body` when it is called. */
function describing(about: object, body = "cat"): string {
	return `#!/bin/sh\nif [ "$1" = --describe ]; then\n\techo x >> "$0.asked"\n\tcat <<'END'\n${JSON.stringify(about)}\nEND\n\texit\nfi\n${body}\n`;
}

describe("a program", () => {
	test("gets the arguments, and its output is the result", async () => {
		const about = {
			description: "Counts words",
			parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
		};
		const body = 'cat; echo "|$TAU_TOOL_NAME|${TAU_TOOL_CALL_ID:+id}|$PWD|$GIT_TERMINAL_PROMPT"';
		await using opened = await openFixture(
			{ steps: [callOf("count", { text: "a b" }), callOf("count", {}), "Ok."] },
			{ found: { [`${tools}/count.sh`]: describing(about, body) } },
		);
		await opened.prompt("go");
		const [first, second] = results(opened);
		expect(first).toEqual({ text: `{"text":"a b"}|count|id|${opened.cwd}|0`, isError: false });
		expect(second?.isError).toBe(true);
		expect(second?.text).toContain("text");
	});

	test("may answer in JSON with content and details, and report a failure", async () => {
		const image = { type: "image", data: "aGk=", mimeType: "image/png" };
		const json = (value: object): string => `cat <<'END'\n${JSON.stringify(value)}\nEND`;
		await using opened = await openFixture(
			{ steps: [callOf("draw"), callOf("fail"), callOf("own"), "Ok."] },
			{
				found: {
					[`${tools}/draw.sh`]: describing(
						{ description: "x" },
						json({ content: [{ type: "text", text: "drawn" }, image], details: { size: 2 } }),
					),
					[`${tools}/fail.sh`]: describing(
						{ description: "x" },
						json({ content: "no paper", isError: true }),
					),
					[`${tools}/own.sh`]: describing({ description: "x" }, "echo '{\"rows\": 3}'"),
				},
			},
		);
		await opened.prompt("go");
		expect(results(opened)).toEqual([
			{ text: "drawn|image", isError: false },
			{ text: "no paper", isError: true },
			{ text: '{"rows": 3}', isError: false },
		]);
		const drawn = opened.session.state.messages.find((message) => message.role === "toolResult");
		expect(drawn).toMatchObject({ details: { size: 2 } });
	});

	test("that fails is reported with both outputs, and its progress is shown meanwhile", async () => {
		await using opened = await openFixture(
			{ steps: [callOf("broken"), "Ok."] },
			{
				found: {
					[`${tools}/broken.sh`]: describing(
						{ description: "x" },
						"echo half; echo step 1 >&2; until [ -e seen ]; do sleep 0.01; done; exit 3",
					),
				},
			},
		);
		using _ = opened.session.subscribe((event) => {
			if (event.type === "tool_execution_update") writeFileSync(join(opened.cwd, "seen"), "");
		});
		await opened.prompt("go");
		expect(results(opened)).toEqual([{ text: "half\nstep 1\n[exited with 3]", isError: true }]);
		const updates = opened.events.filter(({ type }) => type === "tool_execution_update");
		expect(JSON.stringify(updates)).toContain("step 1");
	});

	test("with endless output is cut, and the whole output is an artifact", async () => {
		await using opened = await openFixture(
			{ steps: [callOf("long"), "Ok."] },
			{ found: { [`${tools}/long.sh`]: describing({ description: "x" }, "seq 100000") } },
		);
		await opened.prompt("go");
		const [{ text: message } = { text: "" }] = results(opened);
		expect(message).toContain("omitted: read artifact://0");
		expect(message.length).toBeLessThan(60_000);
	});

	test("that answers in JSON has the same limit", async () => {
		const body = `printf '{"content":"'; seq -s ' ' 100000 | tr -d '\\n'; printf '"}'`;
		await using opened = await openFixture(
			{ steps: [callOf("long"), "Ok."] },
			{ found: { [`${tools}/long.sh`]: describing({ description: "x" }, body) } },
		);
		await opened.prompt("go");
		const [{ text: message } = { text: "" }] = results(opened);
		expect(message).toContain("omitted: read artifact://0");
		expect(message.length).toBeLessThan(60_000);
	});

	test("that is not executable is run by its interpreter; hidden files and backups are ignored", async () => {
		const script = describing({ description: "x" }, "echo here").replace("#!/bin/sh\n", ": a script\n");
		const found = [".hidden.sh", "plain.sh", "plain.sh~"].map((name) => [`${tools}/${name}`, script]);
		await using opened = await openFixture(
			{ steps: [callOf("plain"), "Ok."] },
			{ found: Object.fromEntries(found) },
		);
		await opened.prompt("go");
		expect(opened.extensions.toolNames).toEqual(["plain"]);
		expect(results(opened)).toEqual([{ text: "here", isError: false }]);
	});

	test("is ended with its children by an abort, and when it times out", async () => {
		await using opened = await openFixture(
			{ steps: [callOf("late"), callOf("slow"), "Ok."] },
			{
				found: {
					[`${tools}/late.sh`]: describing({ description: "x", timeout: 0.1 }, "sleep 1000 & wait"),
					[`${tools}/slow.sh`]: describing({ description: "x" }, "touch began; sleep 1000 & wait"),
				},
			},
		);
		const answering = opened.prompt("go");
		while (!existsSync(join(opened.cwd, "began"))) await Bun.sleep(5);
		opened.session.abort();
		await answering;
		const [late] = results(opened);
		expect(late).toEqual({ text: "[timed out]", isError: true });
	});

	test("is described once, and again after its file has changed", async () => {
		await using opened = await openFixture(
			{ steps: [] },
			{ found: { [`${tools}/a.sh`]: describing({ description: "first" }) } },
		);
		const file = join(opened.agentDir, "tools/a.sh");
		const asked = (): number => readFileSync(`${file}.asked`, "utf8").length / 2;
		const reloaded = async (): Promise<string | undefined> => {
			await opened.extensions.sessionEnding({ reason: "reload" });
			opened.next();
			return opened.extensions.runner.tools.info().find(({ name }) => name === "a")?.description;
		};
		expect(asked()).toBe(1);
		expect(await reloaded()).toBe("first");
		expect(asked()).toBe(1);
		writeFileSync(file, describing({ description: "other" }));
		chmodSync(file, 0o755);
		utimesSync(file, new Date(), new Date(statSync(file).mtimeMs + 5000));
		expect(await reloaded()).toBe("other");
		expect(asked()).toBe(2);
	});

	test("that does not support --describe is never run; a file beside it may describe it", async () => {
		const deploy = '#!/bin/sh\ntouch "$0.ran"\n';
		const beside = { description: "Says hello", approval: "read" };
		await using opened = await openFixture(
			{ steps: [callOf("hello"), "Ok."] },
			{
				found: {
					[`${tools}/deploy.sh`]: deploy,
					[`${tools}/hello.sh`]: "#!/bin/sh\necho hello\n",
					[`${tools}/hello.json`]: JSON.stringify(beside),
					"home/.claude/tools/theirs.sh": describing({ description: "x" }),
				},
			},
		);
		await opened.prompt("go");
		expect(results(opened)).toEqual([{ text: "hello", isError: false }]);
		expect(existsSync(join(opened.agentDir, "tools/deploy.sh.ran"))).toBe(false);
		expect(opened.extensions.toolNames).toEqual(["hello"]);
		expect(opened.extensions.problems.map(({ error }) => error)).toEqual([
			"It does not support --describe, and there is no .json file beside it.",
		]);
	});

	const wrong: [what: string, body: string, words: string][] = [
		["prints no JSON", "echo hello # --describe", "Its description is not valid JSON"],
		["prints no description", "echo '{}' # --describe", "Its description is invalid: description"],
		[
			"has a name that no tool can have",
			`echo '{"description":"x","name":"a b"}' # --describe`,
			"name: only letters",
		],
		["fails", "echo help >&2; exit 4 # --describe", "--describe exited with 4: help"],
	];
	test.each(wrong)("that %s is rejected with the reason", async (_what, body, label) => {
		await using opened = await openFixture(
			{ steps: [] },
			{ found: { [`${tools}/bad.sh`]: `#!/bin/sh\n${body}\n` } },
		);
		expect(opened.extensions.toolNames).toEqual([]);
		expect(opened.extensions.problems[0]?.error).toContain(label);
	});
});

test("modules in hooks/pre and hooks/post are extensions, also those written for omp", async () => {
	const hook = (event: string, body: string): string =>
		`import type { HookAPI } from "@oh-my-pi/pi-coding-agent/hooks";
		export default function (pi: HookAPI) { pi.on("${event}", async (event) => { ${body} }); }`;
	await using opened = await openFixture(
		{ steps: [callOf("bash", { command: "echo one" }), callOf("bash", { command: "rm -rf x" }), "Ok."] },
		{
			found: {
				"home/.pi/agent/hooks/old.ts": hook("session_start", `pi.appendEntry("old", {});`),
				"home/.omp/agent/hooks/pre/guard.ts": hook(
					"tool_call",
					`if (event.input.command.includes("rm")) return { block: true, reason: "no rm" };`,
				),
				"home/.tau/agent/hooks/post/guard.ts": hook(
					"tool_result",
					`return { content: [{ type: "text", text: event.content[0].text.trim() + " seen" }] };`,
				),
			},
		},
	);
	await opened.prompt("go");
	expect(opened.extensions.problems).toEqual([]);
	expect(results(opened).map(({ text: message }) => message)).toEqual(["one seen", "no rm"]);
	expect(opened.log.getEntries().some(({ type }) => type === "custom")).toBe(true);
});

test("a tool does not replace an extension with the same name as its file", async () => {
	const base = mkdtempSync(join(tmpdir(), "tau-tools-"));
	try {
		mkdirSync(join(base, "agent/tools"), { recursive: true });
		writeFileSync(join(base, "agent/tools/mu.ts"), "");
		const { extensions, shadowed } = await discoverExtensions({
			cwd: join(base, "work"),
			home: join(base, "home"),
			agentDir: join(base, "agent"),
			explicit: [],
			configured: [],
			disabled: [],
			withDiscovery: true,
			isTrusted: false,
			shipped: [{ id: "mu", load: async () => () => {} }],
		});
		expect(extensions.map(({ path }) => path)).toEqual([join(base, "agent/tools/mu.ts"), "<builtin:mu>"]);
		expect(shadowed).toEqual([]);
	} finally {
		rmSync(base, { recursive: true, force: true });
	}
});
