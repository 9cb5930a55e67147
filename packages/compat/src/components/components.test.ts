/** The components that extensions import from pi's main package can be created, drawn at any width, and used by keys. */
import { describe, expect, test } from "bun:test";

import type { AssistantMessage } from "@tau/ai";
import { setKeybindings, Text, visibleWidth, type Component } from "@tau/tui";
import { stripAnsi } from "@tau/sys";
import { newKeys } from "@tau/interactive/keys";
import { SessionManager } from "@tau/log";

import { AuthStorage } from "../sdk/auth-storage.ts";
import { ExtensionEditorComponent, ExtensionInputComponent, LoginDialogComponent } from "./dialogs.ts";
import { BashExecutionComponent, ToolExecutionComponent } from "./executions.ts";
import { FooterComponent } from "./footer.ts";
import { ArminComponent } from "./greeting.ts";
import {
	AssistantMessageComponent,
	BranchSummaryMessageComponent,
	CompactionSummaryMessageComponent,
	CustomMessageComponent,
	SkillInvocationMessageComponent,
	UserMessageComponent,
} from "./messages.ts";
import {
	ExtensionSelectorComponent,
	ModelSelectorComponent,
	OAuthSelectorComponent,
	SessionSelectorComponent,
	ShowImagesSelectorComponent,
	ThemeSelectorComponent,
	ThinkingSelectorComponent,
	TreeSelectorComponent,
	UserMessageSelectorComponent,
} from "./selectors.ts";
import { SettingsSelectorComponent } from "./settings-selector.ts";
import * as theming from "./theming.ts";
import { testModel } from "../../../../test/support/session.ts";
import { screenTheme } from "../support/screen-theme.ts";

setKeybindings(newKeys());

const enter = "\r";
const down = "\u001B[B";
const escape = "\u001B";
const host = { requestRender() {}, terminal: { rows: 24 } };

/** What a user would read at a usual width; at no width is a row too long. */
function read(component: Component): string {
	for (const width of [1, 7, 20, 80, 200])
		for (const row of component.render(width)) expect(visibleWidth(row)).toBeLessThanOrEqual(width);
	return stripAnsi(component.render(80).join("\n"));
}

const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

function answer(more: Partial<AssistantMessage>): AssistantMessage {
	const usage = { ...none, totalTokens: 0, cost: { ...none, total: 0 } };
	const plain: AssistantMessage = {
		role: "assistant",
		api: "anthropic-messages",
		provider: "p",
		model: "m",
		content: [],
		usage,
		stopReason: "stop",
		timestamp: 0,
	};
	return Object.assign(plain, more);
}

describe("messages", () => {
	test("an answer shows its text and its thinking, or a label instead", () => {
		const content = [
			{ type: "thinking" as const, thinking: "deep thought" },
			{ type: "text" as const, text: "**Bold** words" },
		];
		const component = new AssistantMessageComponent(answer({ content }));
		expect(read(component)).toMatch(/deep thought[^]*Bold words/);
		component.setHideThinkingBlock(true);
		component.setHiddenThinkingLabel("hm");
		expect(read(component)).not.toContain("deep thought");
		expect(read(component)).toContain("hm");
		component.updateContent(answer({ stopReason: "error", errorMessage: "broken pipe" }));
		expect(read(component)).toContain("Error: broken pipe");
	});

	test("a user's message is shown without control sequences", () => {
		expect(read(new UserMessageComponent("hello \u001B[2Jthere"))).toContain("hello there");
	});

	test("a summary is folded until it is expanded", () => {
		const branch = new BranchSummaryMessageComponent({
			role: "branchSummary",
			summary: "went left",
			fromId: "x",
			timestamp: 0,
		});
		expect(read(branch)).not.toContain("went left");
		branch.setExpanded(true);
		expect(read(branch)).toContain("went left");
		const message = { role: "compactionSummary" as const, summary: "s", tokensBefore: 12_345, timestamp: 0 };
		expect(read(new CompactionSummaryMessageComponent(message))).toContain("12,345 tokens");
		const block = { name: "pdf", location: "/x", content: "how to", userMessage: undefined };
		expect(read(new SkillInvocationMessageComponent(block))).toContain("pdf");
	});

	test("a message of an extension is drawn by its renderer, else as text", () => {
		const message = {
			role: "custom" as const,
			customType: "note",
			content: "plain words",
			display: true,
			timestamp: 0,
		};
		expect(read(new CustomMessageComponent(message))).toMatch(/\[note\][^]*plain words/);
		const own = new CustomMessageComponent(
			message,
			(_, { expanded }) => new Text(expanded ? "open" : "shut"),
		);
		expect(read(own)).toContain("shut");
		own.setExpanded(true);
		expect(read(own)).toContain("open");
	});
});

describe("executions", () => {
	test("a call shows its tool, then its result, by the tool's own renderer if it has one", () => {
		const call = new ToolExecutionComponent("bash", "1", { command: "ls" });
		expect(read(call)).toContain("ls");
		call.updateResult({ content: [{ type: "text", text: "a.txt" }], isError: false });
		expect(read(call)).toContain("a.txt");
		const definition = {
			name: "own",
			description: "",
			parameters: {},
			execute: async () => ({ content: [] }),
			renderCall: () => new Text("my call"),
			renderResult: () => {
				throw new Error("broken");
			},
		};
		const own = new ToolExecutionComponent("own", "2", {}, {}, definition, host);
		own.updateResult({ content: [{ type: "text", text: "raw result" }], isError: true });
		expect(read(own)).toMatch(/my call[^]*raw result/);
	});

	test("a command shows its output as it arrives, folded, and how it ended", () => {
		const command = new BashExecutionComponent("make", host);
		command.appendOutput(Array.from({ length: 30 }, (_, line) => `line ${line}`).join("\n"));
		expect(read(command)).toMatch(/20 earlier lines[^]*line 29[^]*running/);
		command.setExpanded(true);
		expect(read(command)).toContain("line 0");
		command.setComplete(2, false);
		expect(read(command)).toContain("exit 2");
		expect(command.getOutput()).toContain("line 5");
		expect(command.getCommand()).toBe("make");
	});
});

describe("selectors", () => {
	test("arrows move, Enter selects, Escape cancels", () => {
		const chosen: string[] = [];
		const list = new ExtensionSelectorComponent(
			"Which?",
			["one", "two"],
			(option) => void chosen.push(option),
			() => void chosen.push("left"),
		);
		expect(read(list)).toMatch(/Which\?[^]*one[^]*two/);
		for (const key of [down, enter, escape]) list.handleInput(key);
		expect(chosen).toEqual(["two", "left"]);
		list.dispose();
	});

	test("a model is found by typing", () => {
		const models = [testModel({ provider: "p", id: "alpha" }), testModel({ provider: "p", id: "beta" })];
		let chosen = "";
		const list = new ModelSelectorComponent(
			host,
			models[0],
			undefined,
			{ getAvailable: () => models },
			[],
			({ id }) => {
				chosen = id;
			},
			() => {},
		);
		for (const key of [..."bet", enter]) list.handleInput(key);
		expect(chosen).toBe("beta");
	});

	test("each of the other selectors returns its kind of value", () => {
		const chosen: unknown[] = [];
		const take = (value: unknown): void => void chosen.push(value);
		const lists = [
			new ShowImagesSelectorComponent(false, take, () => {}),
			new ThinkingSelectorComponent("high", ["off", "high"], take, () => {}),
			new ThemeSelectorComponent("light", take, () => {}),
			new UserMessageSelectorComponent([{ id: "m1", text: "first" }], take, () => {}),
			new OAuthSelectorComponent(
				"logout",
				AuthStorage.inMemory({ a: { type: "api_key", key: "k" } }),
				[
					{ id: "a", name: "A" },
					{ id: "b", name: "B" },
				],
				take,
				() => {},
			),
		];
		for (const list of lists) {
			read(list);
			list.handleInput(enter);
		}
		expect(chosen).toEqual([false, "high", "light", "m1", "a"]);
	});

	test("the tree of a session can be navigated", () => {
		using log = SessionManager.inMemory("/tmp");
		const first = log.appendMessage({ role: "user", content: "trunk", timestamp: 0 });
		log.appendMessage({ role: "user", content: "left", timestamp: 0 });
		log.branch(first);
		const right = log.appendMessage({ role: "user", content: "right", timestamp: 0 });
		let chosen = "";
		const tree = new TreeSelectorComponent(
			log.getTree(),
			log.getLeafId(),
			40,
			(id) => {
				chosen = id;
			},
			() => {},
		);
		expect(read(tree)).toMatch(/trunk[^]*left[^]*right/);
		expect(tree.getTreeList().getSelectedNode()?.entry.id).toBe(right);
		tree.handleInput(enter);
		expect(chosen).toBe(right);
	});

	test("sessions are listed when they are loaded; Tab shows those of all directories", async () => {
		const about = (path: string, firstMessage: string) => ({
			path,
			id: path,
			cwd: "/x",
			created: new Date(0),
			modified: new Date(0),
			messageCount: 1,
			firstMessage,
			size: 1,
			allMessagesText: "",
		});
		const drawn = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
		let draws = 0;
		let chosen = "";
		const list = new SessionSelectorComponent(
			async () => [about("/here.jsonl", "of here")],
			async () => [about("/there.jsonl", "of there")],
			(path) => {
				chosen = path;
			},
			() => {},
			() => {},
			() => drawn[draws++]?.resolve(),
		);
		await drawn[0]?.promise;
		expect(read(list)).toContain("of here");
		list.handleInput("\t");
		await drawn[1]?.promise;
		expect(read(list)).toContain("of there");
		expect(list.getSessionList().getSelectedSessionPath()).toBe("/there.jsonl");
		list.handleInput(enter);
		expect(chosen).toBe("/there.jsonl");
	});

	test("a changed setting is passed to the callback of its name", () => {
		const received: unknown[] = [];
		const list = new SettingsSelectorComponent(
			{ autoCompact: true },
			{
				onAutoCompactChange: (value) => void received.push(value),
				onCancel: () => void received.push("left"),
			},
		);
		read(list);
		list.handleInput(enter);
		expect(received).toEqual([false]);
	});
});

describe("dialogs", () => {
	test("the text of an input is returned on Enter", () => {
		const lines: string[] = [];
		const input = new ExtensionInputComponent(
			"Name?",
			"somebody",
			(value) => void lines.push(value),
			() => void lines.push("left"),
		);
		input.focused = true;
		expect(read(input)).toContain("Name?");
		for (const key of ["A", "d", "a", enter, escape]) input.handleInput(key);
		expect(lines).toEqual(["Ada", "left"]);
		input.dispose();
	});

	test("an editor starts with the given text", () => {
		const lines: string[] = [];
		const editor = new ExtensionEditorComponent(
			host,
			undefined,
			"Edit",
			"draft",
			(value) => void lines.push(value),
			() => void lines.push("left"),
		);
		expect(read(editor)).toContain("draft");
		for (const key of ["!", enter, escape]) editor.handleInput(key);
		expect(lines).toEqual(["draft!", "left"]);
	});

	test("a login shows the URL, asks for the code, and can be cancelled", async () => {
		const ends: unknown[] = [];
		const login = new LoginDialogComponent(host, "x", (...end) => void ends.push(end));
		login.showAuth("https://example.com/auth", "Log in there");
		login.showDeviceCode({ userCode: "AB-12", verificationUri: "https://example.com/device" });
		login.showInfo("Needs a plan", [{ url: "https://example.com/plans", label: "Plans" }]);
		login.showInfo(["First line"]);
		expect(read(login)).toMatch(
			/device[^]*Enter the code AB-12[^]*Needs a plan[^]*Plans: https:\/\/example.com\/plans[^]*First line/,
		);
		const code = login.showPrompt("Code?");
		expect(read(login)).toMatch(/example.com[^]*Log in there[^]*Code\?/);
		for (const key of ["4", "2", enter]) login.handleInput(key);
		expect(await code).toBe("42");
		login.handleInput(escape);
		expect(login.signal.aborted).toBe(true);
		expect(ends).toEqual([[false, "The login was cancelled."]]);
	});
});

describe("pi's color functions", () => {
	test("work without a theme", () => {
		expect(theming.highlightCode("const a = 1;", "typescript")).toHaveLength(1);
		expect(stripAnsi(theming.renderDiff("-1 old\n+1 new"))).toMatch(/old[^]*new/);
		expect(stripAnsi(theming.keyHint("tui.select.cancel", "cancel"))).toContain("cancel");
		expect(stripAnsi(theming.rawKeyHint("tab", "switch"))).toBe("tab switch");
		expect(theming.truncateToVisualLines("a\nb\nc", 2, 80).skippedCount).toBe(1);
	});

	test("every theme is a Theme, also a hand-made one", () => {
		expect(screenTheme()).toBeInstanceOf(theming.Theme);
		const own = new theming.Theme({ accent: "#ff0000" }, {}, "truecolor");
		expect(own.fg("accent", "x")).toContain("255;0;0");
		expect(theming.theme.bold("x")).toBe(screenTheme().bold("x"));
	});
});

test("the footer and the greeting can be drawn", () => {
	const data = {
		getGitBranch: () => "main",
		getExtensionStatuses: () => new Map([["a", "busy"]]),
		getAvailableProviderCount: () => 1,
		onBranchChange: () => () => {},
	};
	const session = { model: { id: "some-model" }, getContextUsage: () => ({ percent: 12.5 }) };
	expect(read(new FooterComponent(session, data))).toMatch(/\(main\)[^]*12\.5%[^]*some-model[^]*busy/);
	expect(read(new ArminComponent())).toContain("τ");
});

test("the theme of the screen is where pi's extensions look for it in the process", () => {
	theming.shareTheme();
	for (const scope of ["@mariozechner", "@earendil-works"]) {
		const shared = Reflect.get(globalThis, Symbol.for(`${scope}/pi-coding-agent:theme`));
		expect(stripAnsi(shared.fg("accent", "x"))).toBe("x");
	}
});
