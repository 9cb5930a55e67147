/** What extensions show and ask in the terminal, as the user sees it. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { go, say, withExtension } from "./opened.ts";

test("the four dialogs of an extension replace the editor, and the answers arrive", async () => {
	await using opened = await withExtension(
		go(`
		const fruit = await ctx.ui.select("Which fruit?", ["apple", "pear"]);
		const sure = await ctx.ui.confirm("Sure?", "It will be eaten.");
		const name = await ctx.ui.input("Whose name?", "a first name");
		const text = await ctx.ui.editor("A word on it", "so far");
		ctx.ui.notify([fruit, sure, name, text].join("|"));`),
	);
	const { tau } = opened;
	say(tau, "/go");
	await tau.until("Which fruit?");
	tau.press("down", "enter");
	await tau.until("It will be eaten.");
	tau.press("enter");
	await tau.until("a first name");
	tau.type("Ada\r");
	await tau.until("A word on it");
	tau.type(" good\r");
	await tau.until("pear|true|Ada|so far good");
	tau.type("back");
	await tau.until("back");
});

test("a dialog can be cancelled, and closes itself after its timeout", async () => {
	await using opened = await withExtension(
		go(`
		const turned = await ctx.ui.select("Which?", ["a", "b"]);
		const late = await ctx.ui.confirm("Still there?", "Soon gone.", { timeout: 2000 });
		ctx.ui.notify("answers: " + turned + "," + late, "warning");`),
	);
	const { tau } = opened;
	say(tau, "/go");
	await tau.until("Which?");
	tau.press("escape");
	await tau.until(/\ds left/);
	await tau.until("answers: undefined,false");
});

test("status, widgets, footer, header and title of an extension are visible, and can be removed", async () => {
	await using opened = await withExtension(
		`pi.on("session_start", (_, { ui }) => {
			ui.setHeader(() => new Text("MY HEADER"));
			ui.setStatus("s", "my-status");
			ui.setWidget("w", ["line one", "line two"]);
			ui.setWidget("c", (tui, theme) => new Text(theme.fg("accent", "a component")), { placement: "belowEditor" });
			ui.setTitle("my title");
		});
		pi.registerCommand("mine", { handler: (_, { ui }) => ui.setFooter((tui, theme, data) => ({
			render: () => ["MY FOOTER " + [...data.getExtensionStatuses().values()] + " " + data.getAvailableProviderCount()],
			invalidate() {},
		})) });
		pi.registerCommand("none", { handler: (_, { ui }) => {
			ui.setHeader(undefined); ui.setFooter(undefined); ui.setStatus("s", undefined);
			ui.setWidget("w", undefined); ui.setWidget("c", undefined);
		} });`,
	);
	const { tau } = opened;
	await tau.until("a component");
	expect(tau.screen()).toMatch(
		/MY HEADER[\s\S]*line one\n line two\n[\s\S]*───[\s\S]*a component\n[\s\S]*my-status/,
	);
	expect(tau.screen()).not.toContain("τ tau");
	await tau.untilDrawn(() => tau.title === "my title", "set the title");
	say(tau, "/mine");
	await tau.until("MY FOOTER my-status 1");
	expect(tau.screen()).not.toContain("played-1");
	say(tau, "/none");
	await tau.until("τ tau");
	await tau.until("played-1");
	expect(tau.screen()).not.toMatch(/MY |my-status|line one|a component/);
});

test("an extension can change the working message and indicator, or hide them", async () => {
	const waits = { name: "bash", arguments: { command: "until [ -e go ]; do sleep 0.05; done" } };
	await using opened = await withExtension(
		`pi.on("agent_start", (_, { ui }) => {
			ui.setWorkingMessage("pondering"); ui.setWorkingIndicator({ frames: ["@@"] });
		});
		pi.registerCommand("hide", { handler: (_, { ui }) => ui.setWorkingVisible(false) });`,
		{ steps: [{ answer: { blocks: [{ toolCall: waits }] } }, "Done."] },
	);
	const { tau } = opened;
	tau.type("begin\r");
	await tau.until("@@ pondering");
	say(tau, "/hide");
	await tau.untilGone("pondering");
	writeFileSync(join(tau.home.project, "go"), "");
	await tau.until("Done.");
});

test("an extension sets the editor's text, reads it and pastes into it", async () => {
	await using opened = await withExtension(
		`pi.registerShortcut("ctrl+y", { handler: ({ ui }) => ui.notify("it says: " + ui.getEditorText()) });
		${go(`ctx.ui.setEditorText("first"); ctx.ui.pasteToEditor(" second");`)}`,
	);
	const { tau } = opened;
	say(tau, "/go");
	await tau.until("first second");
	tau.type("\x19");
	await tau.until("it says: first second");
});

test("an editor of an extension gets the keys, and everything around it keeps working", async () => {
	await using opened = await withExtension(
		`class Loud extends CustomEditor {
			handleInput(data) { super.handleInput(data.length === 1 ? data.toUpperCase() : data); }
		}
		pi.on("session_start", (_, { ui }) => ui.setEditorComponent((tui, theme, keys) => new Loud(tui, theme, keys)));
		pi.registerCommand("PLAIN", { handler: (_, { ui }) => ui.setEditorComponent(undefined) });`,
		{ steps: ["Heard."] },
	);
	const { tau } = opened;
	tau.type("hello");
	await tau.until("HELLO");
	tau.press("enter");
	await tau.until("Heard.");
	say(tau, "/plain");
	await tau.untilGone("/PLAIN");
	tau.type("quiet");
	await tau.until("quiet");
	tau.press("ctrlC");
	await tau.untilGone("quiet");
	tau.press("ctrlD");
	expect(await tau.exited).toBe(0);
});

test("a component of an extension has focus until it is done, in place of the editor and as an overlay", async () => {
	await using opened = await withExtension(
		go(`
		const shown = (label) => (tui, theme, keys, done) => ({
			render: () => [label], invalidate() {},
			handleInput(data) { done(matchesKey(data, "escape") ? "escape" : data); },
		});
		const first = await ctx.ui.custom(shown("IN PLACE"));
		const listed = await ctx.ui.custom((tui, theme, keys, done) => {
			const list = new SelectList([{ value: "one", label: "ONE" }, { value: "two", label: "TWO" }], 5, getSelectListTheme());
			list.onSelect = ({ value }) => done(value);
			return list;
		});
		const second = await ctx.ui.custom(shown("ON TOP"), { overlay: true, overlayOptions: { anchor: "top-right", width: 10 } });
		ctx.ui.notify("keys: " + [first, listed, second]);`),
	);
	const { tau } = opened;
	say(tau, "/go");
	await tau.until("IN PLACE");
	tau.press("escape");
	await tau.until("TWO");
	tau.press("down", "enter");
	await tau.until(/^ {70}ON TOP/m);
	tau.type("x");
	await tau.until("keys: escape,two,x");
	expect(tau.screen()).not.toContain("ON TOP");
});

test("failing components of extensions are named, can be closed, and break nothing else", async () => {
	await using opened = await withExtension(
		`const broken = () => ({ render() { throw new Error("cannot draw"); }, invalidate() {} });
		${go(`
		ctx.ui.setWidget("bad-widget", broken);
		const got = await ctx.ui.custom(() => ({ render: () => ["STUCK"], invalidate() {}, handleInput() {} }));
		const then = await ctx.ui.custom(broken);
		ctx.ui.setEditorComponent(() => ({ getText: () => "", setText() {}, handleInput() {}, ...broken() }));
		ctx.ui.notify("left both: " + got + then);`)}
		pi.registerCommand("fails", { handler: () => { throw new Error("command gone wrong"); } });`,
		{ steps: ["Still here."] },
	);
	const { tau } = opened;
	say(tau, "/go");
	await tau.until("STUCK");
	expect(tau.screen()).toContain("✗ bad-widget: cannot draw");
	// A component that ignores keys is closed by Ctrl+C, twice.
	tau.press("ctrlC", "ctrlC");
	await tau.until("✗ extension (esc closes it): cannot draw");
	tau.press("escape");
	await tau.until("left both: undefinedundefined");
	await tau.until("A key failed: cannot draw");
	say(tau, "/fails");
	await tau.until("command gone wrong");
	tau.type("and you?\r");
	await tau.until("Still here.");
});

test("terminal input reaches listeners first, and a failing one is not called again", async () => {
	await using opened = await withExtension(
		`pi.on("session_start", (_, { ui }) => {
			ui.onTerminalInput((data) => data === "q" ? { consume: true } : data === "a" ? { data: "b" } : undefined);
			ui.onTerminalInput((data) => { if (data === "z") throw new Error("no z"); });
			ui.setStatus("s", "listening");
		});`,
	);
	const { tau } = opened;
	await tau.until("listening");
	tau.type("1");
	tau.type("q");
	tau.type("a");
	tau.type("z");
	await tau.until("no z");
	await tau.until(/^ 1bz/m);
});

test("an extension lists, reads and changes themes, and expands tool results", async () => {
	await using opened = await withExtension(
		go(`
		const names = ctx.ui.getAllThemes().map(({ name }) => name);
		const before = ctx.ui.theme.name;
		const wrong = ctx.ui.setTheme("nothing-like-it");
		const right = ctx.ui.setTheme("light");
		ctx.ui.setToolsExpanded(true);
		ctx.ui.notify([names.includes("dark"), ctx.ui.getTheme("dark").name, before, wrong.success, right.success,
			ctx.ui.theme.name, ctx.ui.getToolsExpanded()].join(" "));`),
	);
	const { tau } = opened;
	say(tau, "/go");
	await tau.until("true dark dark false true light true");
});

test("commands of extensions are listed in the menu with their descriptions, and their arguments are completed", async () => {
	await using opened = await withExtension(
		`pi.registerCommand("deploy", {
			description: "Send it out",
			getArgumentCompletions: (prefix) => ["staging", "production"].filter((each) => each.startsWith(prefix))
				.map((value) => ({ value, label: value })),
			handler: (args, ctx) => ctx.ui.notify("deployed to " + args),
		});
		pi.on("session_start", (_, { ui }) => {
			ui.addAutocompleteProvider((current) => ({
				...current,
				getSuggestions: async (lines, line, col, options) => lines[line].slice(0, col).endsWith("#")
					? { items: [{ value: "#42", label: "#42", description: "the issue" }], prefix: "#" }
					: current.getSuggestions(lines, line, col, options),
			}));
			ui.setStatus("s", "ready");
		});`,
	);
	const { tau } = opened;
	await tau.until("ready");
	tau.type("/dep");
	await tau.until("Send it out");
	tau.press("tab");
	tau.type("st");
	await tau.until(/staging/);
	tau.press("tab", "enter");
	await tau.until("deployed to staging");
	tau.type("see #");
	tau.press("tab");
	await tau.until("see #42");
});

test("a command of an extension replaces a built-in one, which is announced and available under another name", async () => {
	await using opened = await withExtension(
		`pi.registerCommand("tools", { description: "my tools", handler: (_, ctx) => ctx.ui.notify("mine") });
		pi.registerCommand("quit", { handler: (_, ctx) => ctx.ui.notify("not yet") });`,
	);
	const { tau } = opened;
	await tau.until("/tools is a command of extension mine. Tau's own is /tau:tools.");
	say(tau, "/tools");
	await tau.until("mine");
	say(tau, "/quit");
	await tau.until("not yet");
	tau.type("/tau:");
	await tau.until("tau:tools");
	say(tau, "tools");
	await tau.until(/Tools: \d+ of \d+ on/);
	tau.press("escape");
	await tau.untilGone(/Tools: \d+ of \d+ on/);
	say(tau, "/tau:quit");
	expect(await tau.exited).toBe(0);
});

test("messages of an extension are drawn by its renderer, folded and expanded", async () => {
	await using opened = await withExtension(
		`pi.registerMessageRenderer("report", (message, { expanded }, theme) =>
			new Text(theme.bold("REPORT: " + message.content + (expanded ? " with details" : ""))));
		${go(`pi.sendMessage({ customType: "report", content: "all well", display: true });`)}`,
	);
	const { tau } = opened;
	say(tau, "/go");
	await tau.until("REPORT: all well");
	tau.press("ctrlO");
	await tau.until("REPORT: all well with details");
});

test("a result changes what its call shows, and renderers can name keys", async () => {
	await using opened = await withExtension(
		`pi.registerTool({
			name: "mend", label: "Mend", description: "mends", parameters: { type: "object", properties: {} },
			execute: async () => ({ content: [{ type: "text", text: "ok" }], details: { files: 3 } }),
			renderCall(args, theme, context) {
				context.state.call ??= new Text("mend …", 0, 0);
				return context.state.call;
			},
			renderResult(result, options, theme, context) {
				context.state.call.setText("mend: " + result.details.files + " files");
				return new Text([typeof context.durationMs, context.keyText("app.tools.expand"), context.outputPad].join(" "), 0, 0);
			},
		});
		pi.registerMessageRenderer("note", (message, options) => new Text(message.content + " " + options.keyText("app.tools.expand") + options.outputPad, 0, 0));
		${go(`pi.sendMessage({ customType: "note", content: "noted", display: true });`)}`,
		{ steps: [{ answer: { blocks: [{ toolCall: { name: "mend", arguments: {} } }] } }, "Done."] },
	);
	const { tau } = opened;
	say(tau, "mend it");
	await tau.until("mend: 3 files");
	await tau.until("number ctrl+o 1");
	await tau.until("Done.");
	say(tau, "/go");
	await tau.until("noted ctrl+o1");
});

test("UI of an extension is removed with its session", async () => {
	await using opened = await withExtension(
		`pi.on("session_start", (event, { ui }) => { if (event.reason === "new") ui.notify("new one"); });
		${go(`ctx.ui.setStatus("s", "old-status"); ctx.ui.setWidget("w", ["old widget"]); ctx.ui.setTitle("old");`)}`,
	);
	const { tau } = opened;
	say(tau, "/go");
	await tau.until("old widget");
	tau.type("/new\r");
	await tau.until("new one");
	await tau.untilGone("old");
	await tau.untilDrawn(() => tau.title.includes("τ"), "restored the title");
});

test("a header of an extension scrolls away with the conversation, once", async () => {
	const lines = Array.from({ length: 60 }, (_, at) => `row ${at}`).join("\n\n");
	await using opened = await withExtension(
		`pi.on("session_start", (_, { ui }) => ui.setHeader(() => new Text("MY HEADER")));`,
		{ steps: [lines, "The end."] },
	);
	const { tau } = opened;
	await tau.until("MY HEADER");
	tau.type("count\r");
	await tau.until("row 59");
	tau.type("and\r");
	await tau.until("The end.");
	expect(tau.scrollback().match(/MY HEADER/g)).toEqual(["MY HEADER"]);
	expect(tau.scrollback().match(/row 7$/gm)).toEqual(["row 7"]);
});

test("hidden thinking has the label of an extension, and a failing completion offers nothing", async () => {
	await using opened = await withExtension(
		`pi.on("session_start", (_, { ui }) => {
			ui.setHiddenThinkingLabel("deep in thought");
			ui.addAutocompleteProvider((current) => ({ ...current, getSuggestions: async () => { throw new Error("no idea"); } }));
			ui.setStatus("s", "ready");
		});`,
		{ steps: [{ answer: { blocks: [{ thinking: "Hm." }, { text: "Thought over." }] } }] },
	);
	const { tau } = opened;
	await tau.until("ready");
	tau.type("/he");
	tau.press("tab", "ctrlC");
	tau.type("think\r");
	await tau.until("Thought over.");
	expect(tau.screen()).toContain("∴ deep in thought");
});

test("an extension may cancel a session change, and /reload reads its file again", async () => {
	await using opened = await withExtension(
		`pi.on("session_before_switch", () => ({ cancel: true }));
		pi.on("session_start", (_, { ui }) => ui.setStatus("s", "version-one"));`,
	);
	const { tau } = opened;
	await tau.until("version-one");
	tau.type("/new\r");
	await tau.until("Cancelled by an extension.");
	const file = join(tau.home.home, "..", "mine.ts");
	writeFileSync(
		file,
		`export default (pi) => pi.on("session_start", (_, { ui }) => ui.setStatus("t", "version-two"));`,
	);
	tau.type("/reload\r");
	await tau.until("version-two");
	expect(tau.screen()).not.toContain("version-one");
});

test("an extension runs the user's commands its own way, or returns their result", async () => {
	await using opened = await withExtension(
		`pi.on("user_bash", ({ command, excludeFromContext }) => command === "known"
			? { result: { output: "known already", exitCode: 0, cancelled: false, truncated: false } }
			: command === "elsewhere"
				? { operations: { exec: async (command, cwd, { onData }) => {
					onData(Buffer.from("ran " + command + " " + excludeFromContext));
					return { exitCode: 0 };
				} } }
				: undefined);`,
	);
	const { tau } = opened;
	tau.type("!known\r");
	await tau.until("known already");
	tau.type("!!elsewhere\r");
	await tau.until("ran elsewhere true");
	tau.type("!echo he''re\r");
	await tau.until(/^\s+here/m);
});

test("extensions may cancel a move in the tree or summarize the abandoned branch", async () => {
	await using opened = await withExtension(
		`let asked = 0;
		pi.on("session_before_tree", ({ preparation }) => ++asked === 1
			? { cancel: true }
			: { summary: { summary: "They left " + (preparation.entriesToSummarize.length > 0 ? "something" : "nothing") } });
		pi.on("session_tree", (event, { ui }) => ui.setStatus("s", "moved " + event.fromExtension));`,
		{ steps: ["A is red.", "B is blue.", "C is green."] },
		{ settings: "branchSummary: { enabled: true }\n" },
	);
	const { tau } = opened;
	tau.type("tell me of A\r");
	await tau.until("A is red.");
	tau.type("tell me of B\r");
	await tau.until("B is blue.");
	tau.type("/tree\r");
	await tau.until("← here");
	tau.press("up", "enter");
	await tau.until("Summarize the branch you are leaving?");
	tau.press("enter");
	await tau.until("Cancelled by an extension.");
	tau.type("/tree\r");
	await tau.until("← here");
	tau.press("up", "enter");
	await tau.until("Summarize the branch you are leaving?");
	tau.press("down", "enter");
	await tau.until("moved true");
	tau.type("\x15tell me of C\r");
	await tau.until("C is green.");
	expect(tau.home.played.requests.at(-1)?.rawBody).toContain("They left something");
});

test("an uncaught error of an extension is reported with its name, and the conversation continues", async () => {
	await using opened = await withExtension(
		go(`
		setTimeout(() => { throw new Error("from a timer"); });
		void Promise.reject(new Error("from a promise"));`),
		{ steps: ["Still here."] },
	);
	const { tau } = opened;
	say(tau, "/go");
	await tau.until("(uncaught): from a timer");
	await tau.until("(uncaught): from a promise");
	tau.type("are you there\r");
	await tau.until("Still here.");
	expect(tau.scrollback()).not.toContain("A background task");
});

test("the footer shows which model a virtual one has chosen", async () => {
	await using opened = await withExtension(
		`pi.registerVirtualModel({ provider: "auto", id: "auto", name: "Auto", thinkingLevels: ["off"], contextWindow: 100000, maxTokens: 1000,
			route: (request, ctx) => ({ model: ctx.modelRegistry.find("played", "played-1") }) });
		pi.registerCommand("use", { handler: async (_, ctx) => { ctx.ui.notify("chosen " + await pi.setModel(ctx.modelRegistry.find("auto", "auto"))); } });`,
		{ steps: ["Hello."] },
	);
	const { tau } = opened;
	say(tau, "/use");
	await tau.until("chosen true");
	say(tau, "hi");
	await tau.until("auto → played-1");
});
