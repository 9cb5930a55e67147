/** Context usage is shown by source, the largest first, and adds up. */
import { describe, expect, test } from "bun:test";

import type { AgentMessage } from "@tau/agent";
import { systemPrompt } from "@tau/extensions/system-prompt";
import { answered, said } from "@tau/session/log/testing";

import { frame, testScreen } from "../../../../testing/frames.ts";
import { report } from "../kit/report.ts";
import { cachedShare, contextParts, splitInstructions } from "./context-parts.ts";
import { drawContext } from "./draw-context.ts";

const files = [
	{ path: "/home/me/AGENTS.md", level: "user" as const, content: "x".repeat(400) },
	{ path: "/work/CLAUDE.md", level: "project" as const, content: "y".repeat(4000) },
];
const prompt = systemPrompt({ cwd: "/work", contextFiles: files });

const call = { type: "toolCall" as const, id: "c1", name: "bash", arguments: { command: "ls" } };
const messages: AgentMessage[] = [
	said("Hello ".repeat(100)),
	answered("", { content: [{ type: "thinking", thinking: "hm ".repeat(50) }, call] }),
	{
		role: "toolResult",
		toolCallId: "c1",
		toolName: "bash",
		isError: false,
		timestamp: 3,
		content: [{ type: "text", text: "z".repeat(8000) }],
	},
	{
		role: "bashExecution",
		command: "x",
		output: "secret ".repeat(500),
		exitCode: 0,
		cancelled: false,
		truncated: false,
		excludeFromContext: true,
		timestamp: 4,
	},
	answered("Done.", {
		usage: {
			input: 100,
			output: 10,
			cacheRead: 300,
			cacheWrite: 0,
			totalTokens: 410,
			cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
		},
	}),
];
const tools = [
	{ name: "read", description: "Reads a file.", parameters: { type: "object" } },
	{ name: "bash", description: "Runs a command. ".repeat(20), parameters: { type: "object" } },
];

describe("the parts", () => {
	const parts = contextParts({ systemPrompt: prompt, tools, messages });

	test("are sorted by size, and each says what it contains", () => {
		expect(parts.map(({ name }) => name)).toEqual([
			"Tool results",
			"Instructions",
			"System prompt",
			"User messages",
			"Tools",
			"Assistant",
		]);
		const of = (name: string) => parts.find((part) => part.name === name)?.parts.map((part) => part.name);
		expect(of("Instructions")).toEqual(["/work/CLAUDE.md", "/home/me/AGENTS.md"]);
		expect(of("Tools")).toEqual(["bash", "read"]);
		expect(of("Assistant")).toEqual(["thinking", "tool calls", "text"]);
		expect(of("User messages")).toEqual([]);
	});

	test("leave out what the model does not get", () => {
		expect(JSON.stringify(parts)).not.toContain("User commands");
	});

	test("split the actual system prompt, without loss", () => {
		const { text, files: found } = splitInstructions(prompt);
		expect(found).toEqual(files.map(({ path, content }) => ({ path, text: content })));
		expect(text).not.toContain("yyyy");
		expect(splitInstructions("no files at all")).toEqual({ text: "no files at all", files: [] });
	});
});

test("the cached share is that of the last request", () => {
	expect(cachedShare(messages)).toBe(0.75);
	expect(cachedShare([said("hello")])).toBeUndefined();
});

test("the report as text", () => {
	const facts = {
		parts: contextParts({ systemPrompt: prompt, tools, messages }),
		usage: { tokens: 4200, contextWindow: 20_000, percent: 21, exact: false },
		cached: 0.75,
		breaks: [
			{ request: 4, cause: "compaction" as const, tokens: 120_000 },
			{ request: 9, cause: "compaction" as const, tokens: 130_000 },
			{ request: 12, cause: "tools" as const, tokens: 900 },
		],
	};
	const block = report(testScreen().theme, (width, theme) => drawContext(facts, width, theme));
	expect(frame(block, 80)).toMatchInlineSnapshot(`
	  "

	   Context: about 4.2k tokens of 20k (21.0%)
	   ████████████▋───────────────────────────────────────────────
	   Tool results            2.4k    12%
	     bash                  2.4k
	   Instructions            1.3k   6.4%
	     /work/CLAUDE.md       1.2k
	     /home/me/AGENTS.md     117
	   System prompt            189   0.9%
	   User messages            188   0.9%
	   Tools                    111   0.6%
	     bash                   100
	     read                    11
	   Assistant                 53   0.3%
	     thinking                44
	     tool calls               6
	     text                     2
	   Free                   15.8k    79%
	   75% of the last request was cached
	   Cache missed 2 times after a compaction: 250k tokens read again
	   Cache missed once after a change of the tools: 900 tokens read again
	  "
	`);
	expect(frame(block, 40)).toMatchInlineSnapshot(`
	  "

	   Context: about 4.2k tokens of 20k (21…
	   ████████──────────────────────────────
	   Tool results            2.4k    12%
	     bash                  2.4k
	   Instructions            1.3k   6.4%
	     /work/CLAUDE.md       1.2k
	     /home/me/AGENTS.md     117
	   System prompt            189   0.9%
	   User messages            188   0.9%
	   Tools                    111   0.6%
	     bash                   100
	     read                    11
	   Assistant                 53   0.3%
	     thinking                44
	     tool calls               6
	     text                     2
	   Free                   15.8k    79%
	   75% of the last request was cached
	   Cache missed 2 times after a compacti…
	   Cache missed once after a change of t…
	  "
	`);
});
