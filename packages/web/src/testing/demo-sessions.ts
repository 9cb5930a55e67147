/** The sessions of the demonstration and of the pictures in the docs. */
import { busySession, planSession } from "./demo-work.ts";
import { MockSession } from "./mock-session.ts";
import { answer, ask, call, factsOf, result, shellApproval, stream, text, user } from "./scenes.ts";

const patch = `--- src/lexer.ts
+++ src/lexer.ts
@@ -12,9 +12,11 @@ export class Lexer {
 	next(): Token {
 		this.#skipSpace();
 		const start = this.#at;
-		const char = this.#text[this.#at];
-		if (char === undefined) return { kind: "end", start };
+		const code = this.#text.charCodeAt(this.#at);
+		if (Number.isNaN(code)) return { kind: "end", start };
 		if (isDigit(code)) return this.#number(start);
+		// A letter may begin a keyword or a name.
 		if (isLetter(code)) return this.#word(start);
 		return this.#sign(start);
 	}
 }`;

const listing = [
	"\u001b[1mbun test\u001b[0m v1.4.4",
	"",
	"src/lexer.test.ts:",
	"\u001b[32m✓\u001b[0m numbers with exponents \u001b[2m[0.41ms]\u001b[0m",
	"\u001b[32m✓\u001b[0m names with digits \u001b[2m[0.12ms]\u001b[0m",
	"\u001b[31m✗\u001b[0m strings that never end \u001b[2m[1.90ms]\u001b[0m",
	"",
	" \u001b[32m2 pass\u001b[0m",
	" \u001b[31m1 fail\u001b[0m",
].join("\n");

const explanation = `The lexer read **characters** where it needed *codes*: \`this.#text[at]\` makes a string for each character, and comparing strings is what took the time.

What I changed:

1. \`next()\` looks at the code of the character.
2. \`isDigit\` and \`isLetter\` are two comparisons instead of a set.
3. A string that never ends is an error with its position.

\`\`\`ts
function isDigit(code: number): boolean {
	return code >= 48 && code <= 57; // 0 to 9
}
\`\`\`

| input | before | after |
| --- | --- | --- |
| 1 MB of JSON | 41 ms | 12 ms |
| 10 MB of logs | 390 ms | 118 ms |

One test still fails: *strings that never end*. Shall I make the error point at the opening quote?`;

export function demoSessions(): MockSession[] {
	const parser = parserSession();
	const waiting = new MockSession(
		factsOf("release", "Release 2.4", {
			phase: "running",
			usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, cost: 1.84 },
		}),
	);
	waiting.message(user("Push the branch and open a pull request"));
	waiting.message(
		answer(
			[
				text("The tests are green. I push the branch now."),
				call("c9", "bash", { command: "git push --force-with-lease origin parser" }),
			],
			{ stopReason: "toolUse" },
		),
	);
	waiting.emit({
		type: "tool_execution_start",
		toolCallId: "c9",
		toolName: "bash",
		args: { command: "git push --force-with-lease origin parser" },
	});
	waiting.emit({
		type: "tool_approval_requested",
		sessionId: "release",
		toolCallId: "c9",
		toolName: "bash",
		approvalMode: "ask",
	});
	ask(waiting, shellApproval);
	play(waiting);
	const others = [
		"Why does the build take so long?",
		"Port the importer to streams",
		"Notes on the new index",
	].map((name, at) => {
		const session = new MockSession(
			factsOf(`other-${at}`, name, {
				session: {
					id: `other-${at}`,
					name,
					cwd: at === 0 ? "/home/ada/work/site" : "/home/ada/work/parser",
					isTrusted: true,
				},
			}),
		);
		session.message(user(name));
		session.message(answer([text("It is done.")]));
		return play(session);
	});
	const working = [planSession(), busySession()].map(play);
	return [parser, waiting, pageSession(), trustSession(), terminalSession(), ...working, ...others];
}

/** The model has made a page. */
function pageSession(): MockSession {
	const session = new MockSession(factsOf("page", "A chart of the lexer"));
	session.message(user("Show me the numbers as a page"));
	session.message(answer([text(`Here it is:\n\n\`\`\`html\n${madePage}\n\`\`\``)]));
	return play(session);
}

const madePage = `<!doctype html><title>Lexer</title>
<style>body { font: 16px system-ui; padding: 2rem; color: #24221f; background: #fff } b { display: block; margin: .3rem 0; padding: .4rem .6rem; color: #fff; background: #9a4f16 }</style>
<h1>Milliseconds for 10 MB</h1>
<b style="width: 90%">before: 390</b><b style="width: 28%">after: 118</b>`;

function trustSession(): MockSession {
	const session = new MockSession(factsOf("trust", "A new clone"));
	const project = "/home/ada/work/site";
	const runs = [
		{ path: `${project}/.tau/extensions/deploy.ts` },
		{ path: `${project}/.mcp.json`, kind: "new", commands: ["npx site-server --port 8080"] },
	];
	ask(session, { kind: "trust", id: "trust-1", openedAt: 0, project, runs });
	return play(session);
}

function terminalSession(): MockSession {
	const session = new MockSession(factsOf("terminal", "Sign the release", { phase: "running" }));
	session.message(user("Sign the release with my key"));
	const lines = [
		"\u001b[1mPlease enter the passphrase to unlock the key\u001b[0m",
		'"Ada <ada@example.com>"',
		"",
		"\u001b[32m?\u001b[0m Passphrase: \u001b[7m \u001b[27m",
	];
	const screen = { columns: 80, rows: 24, lines, applicationCursor: false, bracketedPaste: false };
	ask(session, { kind: "terminal", id: "terminal-1", openedAt: 0, command: "git tag -s v2.4", screen });
	Object.assign(play(session).handlers, { terminal_input: () => ({}), terminal_resize: () => ({}) });
	return session;
}

function parserSession(): MockSession {
	const session = new MockSession(
		factsOf("parser", "Make the lexer faster", {
			todos: [
				{
					name: "Lexer",
					tasks: [
						{ content: "Measure where the time goes", status: "completed" },
						{ content: "Read codes instead of characters", status: "completed" },
						{ content: "Report strings that never end", status: "in_progress" },
						{ content: "Compare with the old numbers", status: "pending" },
					],
				},
			],
		}),
	);
	session.message(
		user("The lexer takes 40 ms for a file of 1 MB. Find out why, and make it faster. Keep the tests green."),
	);
	session.message(
		answer(
			[
				{
					type: "thinking",
					thinking: "I look at the lexer first, then measure.\n\nThe hot path is `next()`.",
				},
				call("c1", "read", { path: "src/lexer.ts" }),
				call("c2", "grep", { pattern: "isDigit\\(", path: "src" }),
			],
			{ stopReason: "toolUse" },
		),
	);
	session.message(result("c1", "read", "export class Lexer {\n\t#at = 0;\n".repeat(20)));
	session.message(
		result("c2", "grep", "src/lexer.ts:14: if (isDigit(char))\nsrc/number.ts:3: isDigit(code)"),
	);
	session.message(
		answer(
			[
				text("`next()` makes a string for each character. I change it to codes."),
				call("c3", "edit", { path: "src/lexer.ts" }),
			],
			{ stopReason: "toolUse" },
		),
	);
	session.message(
		result("c3", "edit", "Edited src/lexer.ts: lines 15 to 18 (+3 -2).", {
			patch,
			files: [{ path: "src/lexer.ts" }],
		}),
	);
	session.message(
		answer([call("c4", "bash", { command: "bun test src/lexer.test.ts" })], { stopReason: "toolUse" }),
	);
	session.message(result("c4", "bash", `${listing}\n\nCommand exited with code 1`, undefined, true));
	session.message(answer([text(explanation)]));
	return play(session);
}

/** Answers as a session does. */
function play(session: MockSession): MockSession {
	const pause = (): Promise<void> => Bun.sleep(30);
	Object.assign(session.handlers, {
		prompt: ({ message }: Record<string, unknown>) => {
			const entry = session.message(user(String(message)));
			session.emit({ type: "message_start", message: entry.message as never });
			void stream(session, explanation, 120, pause);
			return { disposition: "started" };
		},
		abort: () => session.change({ phase: "idle" }),
		answer_request: ({ requestId }: Record<string, unknown>) =>
			session.emit({ type: "request_closed", id: String(requestId), answered: true }),
		list_commands: () => ({ commands: demoCommands }),
		complete_command: () => ({ items: [] }),
		run_command: ({ name, args }: Record<string, unknown>) => commandReply(String(name), String(args ?? "")),
		get_available_models: () => ({ models: [session.facts.model] }),
		get_available_thinking_levels: () => ({ levels: ["off", "low", "medium", "high"] }),
		set_session_name: ({ name }: Record<string, unknown>) =>
			session.change({ session: { ...session.facts.session, name: String(name) } }),
		get_tree: () => ({ tree: treeOf(session), leafId: session.entries.at(-1)?.id ?? null }),
		get_rewind_points: () => ({
			points: session.entries.flatMap((entry) => {
				const message = entry.message as { role: string; content: string } | undefined;
				return message?.role === "user"
					? [{ entryId: entry.id, text: message.content, files: 1, shown: ["src/lexer.ts"] }]
					: [];
			}),
		}),
		preview_rewind: () => ({ files: [{ path: "src/lexer.ts", action: "change", diff: patch }] }),
		get_context: () => ({ ...contextReport, text: "" }),
	});
	return session;
}

function commandReply(name: string, args: string): object {
	if (name === "settings") return { data: { settings: demoSettings } };
	if (name === "diff")
		return {
			data: args === "" ? { files: [{ path: "src/lexer.ts", added: 3, removed: 2 }] } : { diff: patch },
		};
	return { text: `/${name} has run.` };
}

const demoSettings = [
	{ path: "bash.timeoutSeconds", value: 120 },
	{ path: "compaction.enabled", value: true },
	{ path: "steeringMode", value: "one-at-a-time", choices: ["all", "one-at-a-time"] },
	{ path: "web.origins", value: [] },
];

function treeOf(session: MockSession): object[] {
	const [first, ...rest] = session.entries.toReversed();
	let node: object = { entry: first, children: [] };
	for (const entry of rest) node = { entry, children: [node] };
	return first ? [node] : [];
}

const demoCommands = [
	{
		name: "compact",
		description: "Compact the conversation to free up context",
		argumentHint: "[instructions|edit|undo]",
		right: "control",
		source: "tau",
	},
	{
		name: "context",
		description: "Show what fills the context, and drop items from it",
		right: "control",
		source: "tau",
	},
	{ name: "cost", description: "Show token usage and cost by model and turn", right: "view", source: "tau" },
	{
		name: "goal",
		description: "Keep working until a command passes",
		argumentHint: "[check command | off]",
		right: "control",
		source: "tau",
	},
	{
		name: "mode",
		description: "Set when Tau asks before tools run",
		argumentHint: "[plan|ask|auto|full]",
		right: "control",
		source: "tau",
	},
	{
		name: "review",
		description: "Let an agent review your changes",
		argumentHint: "[branch | commit | #pr]",
		right: "control",
		source: "tau",
	},
];

const contextReport = {
	usage: { tokens: 48_200, contextWindow: 200_000, percent: 24.1, exact: true },
	sources: [
		{ name: "System prompt", tokens: 2900, items: [] },
		{
			name: "Tools",
			tokens: 6100,
			items: [{ id: "t1", name: "bash", tokens: 900, isDropped: false, canDrop: false }],
		},
		{
			name: "Messages",
			tokens: 12_400,
			items: [{ id: "m1", name: "The lexer takes 40 ms …", tokens: 240, isDropped: false, canDrop: true }],
		},
		{
			name: "Tool results",
			tokens: 26_800,
			items: [{ id: "r1", name: "read src/lexer.ts", tokens: 9200, isDropped: false, canDrop: true }],
		},
	],
	turns: [],
	misses: [],
	keptAlive: { requests: 0, cost: 0 },
};
