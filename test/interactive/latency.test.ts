/**
 * Hostile input never holds up a key. The clock of a loaded machine says nothing about that, so what is measured is the
 * CPU time that the main thread spends in one turn of its event loop: a key waits for one turn at most.
 */
// takes 28 s
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";

import type { Scenario } from "@tau/ai/testing";
import { expect, test } from "bun:test";

import { samples } from "../support/depth.ts";
import { endlessPdf, zipOf } from "../support/hostile.ts";
import { launch } from "../support/launch.ts";
import { openTau, type OpenTau } from "./driver.ts";

/**
 * Longer than 100 ms, a user notices that a key is late; beside other tests the same work takes half as long again, and
 * on slow machines more: 172 ms where all programs took 2.2 times as long as usual.
 */
const mostMs = 225;
const patience = 120_000;
const tries = 3;
const megabyte = 1024 * 1024;
/** Keys are typed until the input was handled, or this often. */
const mostRounds = 300;
const quietRounds = 20;

/** Runs in the program: an extension shares its main thread, and its timer waits behind the same turns as a key. */
const probe = `
import { writeFileSync } from "node:fs";
const cpuMs = () => { const { user, system } = process.threadCpuUsage(); return (user + system) / 1000; };
export default (pi) => {
	let last = cpuMs();
	let longest = 0;
	setInterval(() => {
		const now = cpuMs();
		if (now - last > longest) {
			longest = now - last;
			writeFileSync(process.env.TAU_TEST_LONGEST_TURN, String(longest));
		}
		last = cpuMs();
	}, 1);
	pi.registerCommand("measure", {
		handler: async (_, ctx) => {
			writeFileSync(process.env.TAU_TEST_LONGEST_TURN, "0");
			longest = 0;
			last = cpuMs();
			ctx.ui.notify("Measuring.");
		},
	});
};
`;

interface Hostile {
	/** Below the project, and below the user's directory. */
	files?: Record<string, string | Uint8Array>;
	userFiles?: Record<string, string>;
	steps?: Scenario["steps"];
	/** What is typed; a prompt by default. */
	typed?: string;
	/** What the screen shows once the input arrives. */
	until?: string | RegExp;
	/** What a turn may take, where it is less than usual. */
	most?: number;
	/** For work in another process that only a time limit of Tau ends: more keys than these show nothing new. */
	rounds?: number;
	/** What follows it. */
	after?: (tau: OpenTau) => Promise<void>;
}

const call = (name: string, args: Record<string, unknown> | string): Scenario["steps"] => [
	{ answer: { blocks: [{ toolCall: { name, arguments: args } }] } },
	"Over.",
];
const answer = (text: string, chunks: number): Scenario["steps"] => [
	{ answer: { blocks: [{ text, chunks }] } },
];
const numbered = (count: number, line: (at: number) => string): string[] =>
	Array.from({ length: count }, (_, at) => line(at));

function bitmap(side: number): Uint8Array {
	const bytes = Buffer.alloc(54 + side * side * 3, 0x40);
	bytes.write("BM");
	for (const [at, value] of [
		[10, 54],
		[14, 40],
		[18, side],
		[22, side],
	] as const)
		bytes.writeUInt32LE(value, at);
	bytes.writeUInt16LE(1, 26);
	bytes.writeUInt16LE(24, 28);
	return bytes;
}

const code = numbered(50_000, (at) => `\tlet name${at} = compute(${at}); // note ${at}`).join("\n");
const cells = (at: number): string => `| ${numbered(8, (cell) => `cell ${at} ${cell}`).join(" | ")} |`;
const table = [cells(0), `|${" --- |".repeat(8)}`, ...numbered(4000, cells)].join("\n");
const nested = (open: string, close: string, depth: number): string =>
	open.repeat(depth) + close.repeat(depth);

const hostile: Readonly<Record<string, Hostile>> = {
	"50,000 lines of code in one burst": { steps: answer(`\`\`\`ts\n${code}\n\`\`\``, 40), until: "name9" },
	"an answer at full speed": {
		steps: answer(numbered(20_000, (at) => `Line ${at} of it.`).join("\n\n"), 10_000),
		// A fast machine may have drawn none of the first lines.
		until: /Line \d/,
	},
	"a word of 2 MB": { steps: answer("word".repeat(megabyte / 2), 200), until: "wordword" },
	"a table of 4,000 rows": { steps: answer(table, 100), until: "cell" },
	"a code block with a line of 200,000 characters": {
		steps: answer(`\`\`\`js\nf(${"'a' + (b) / c, ".repeat(13_000)})\n\`\`\``, 100),
		until: "'a'",
	},
	"thinking of 1 MB": {
		steps: [
			{ answer: { blocks: [{ thinking: "I wonder. ".repeat(100_000), chunks: 1000 }, { text: "Over." }] } },
		],
		after: async (tau) => tau.press("ctrlT"),
	},
	"40,000 characters typed without paste brackets": {
		typed: `${"letters ".repeat(5000)}end`,
		until: "end",
	},
	"a paste of 2 MB": { typed: `\x1b[200~${"pasted line\n".repeat(170_000)}\x1b[201~`, until: "paste" },
	"a PDF without end": {
		files: { "a.pdf": endlessPdf() },
		steps: call("read", { path: "a.pdf" }),
		until: "a.pdf",
		rounds: samples(mostRounds),
	},
	"an Office document nested 200,000 levels deep": {
		files: {
			"a.docx": zipOf({
				"word/document.xml": `<w:document xmlns:w="w"><w:body>${nested("<w:sdt>", "</w:sdt>", 200_000)}</w:body></w:document>`,
			}),
		},
		steps: call("read", { path: "a.docx" }),
		until: "a.docx",
	},
	"an archive that unpacks to 200 MB": {
		files: { "a.tgz": gzipSync(Buffer.alloc(200 * megabyte), { level: 1 }) },
		steps: call("read", { path: "a.tgz" }),
		until: "a.tgz",
	},
	"an archive of 20,000 entries": {
		files: {
			"a.zip": zipOf(
				Object.fromEntries(numbered(20_000, (at) => `dir${at}/file`).map((path) => [path, "x"])),
			),
		},
		steps: call("read", { path: "a.zip" }),
		until: "a.zip",
	},
	"an image of 9 megapixels": {
		files: { "a.bmp": bitmap(3000) },
		steps: call("read", { path: "a.bmp" }),
		until: "a.bmp",
	},
	"code nested 30,000 levels deep, searched by structure": {
		files: { "a.ts": nested("f(", ")", 30_000) },
		steps: call("ast_grep", { pattern: "f($A)", path: "a.ts" }),
		until: "ast_grep",
	},
	"a rule whose expression backtracks": {
		userFiles: { "rules/loop.md": `---\ncondition: ["(a+)+!", "(a|aa)+$1", ".*a.*b.*c.*d"]\n---\nDo not.\n` },
		steps: answer("a".repeat(200_000), 2000),
		until: "aaaa",
	},
	"a command that prints 50 MB": {
		steps: call("bash", { command: "yes 'a line of output' | head -c 50000000" }),
		until: "head -c",
	},
	"a command that prints one line of 20 MB": {
		steps: call("bash", { command: "head -c 20000000 /dev/zero | tr '\\0' x" }),
		until: "head -c",
	},
	"arguments of JSON nested 50,000 levels deep": {
		steps: call("bash", `{"command": "true", "x": ${nested("[", "]", 50_000)}}`),
	},
	"a file of 1 MB written by the model": {
		steps: [
			{
				answer: {
					blocks: [
						{
							toolCall: { name: "write", arguments: { path: "big.ts", content: code.slice(0, megabyte) } },
							chunks: 500,
						},
					],
				},
			},
			"Over.",
		],
		until: "big.ts",
	},
	"a notebook nested 100,000 levels deep": {
		files: { "a.ipynb": `{"cells": ${nested("[", "]", 100_000)}}` },
		steps: call("read", { path: "a.ipynb" }),
		until: "a.ipynb",
	},
	"the work of 32 agents at once": {
		userFiles: { "config.yml": "task: { maxConcurrency: 32 }\n" },
		steps: [
			...call("task", {
				tasks: numbered(32, (at) => `count (${at})`).map((assignment) => ({ assignment })),
			}).slice(0, 1),
			{
				when: { bodyContains: "carry out one task" },
				answer: {
					blocks: [
						{ text: "some words ".repeat(100), chunks: 50 },
						{ toolCall: { name: "ls", arguments: {} } },
					],
				},
				times: 64,
			},
		],
		until: "32 agents",
		most: 80,
	},
	"a file of 2 MB, expanded": {
		files: { "big.ts": code },
		steps: call("read", { path: "big.ts" }),
		until: "big.ts",
		after: async (tau) => tau.press("ctrlO"),
	},
};

function put(directory: string, files: Record<string, string | Uint8Array>): void {
	for (const [name, content] of Object.entries(files)) {
		mkdirSync(dirname(join(directory, name)), { recursive: true });
		writeFileSync(join(directory, name), content);
	}
}

/** The CPU time of the longest turn. */
async function longestTurn({
	files = {},
	userFiles = {},
	steps = [],
	typed = "go\r",
	until = /./,
	rounds = mostRounds,
	after,
}: Hostile): Promise<number> {
	await using home = await launch({ steps, fallback: "Over." });
	put(home.project, files);
	put(home.agentDir, { ...userFiles, "extensions/probe.ts": probe });
	const longest = join(home.home, "longest-turn");
	await using tau = await openTau({ steps: [] }, { home, env: { TAU_TEST_LONGEST_TURN: longest } });
	await tau.until("played-1");
	tau.type("/measure\r");
	await tau.until("Measuring.");
	tau.type(typed);
	await tau.until(until);
	await after?.(tau);
	for (let round = 0, quiet = 0; round < rounds && quiet < quietRounds; round++) {
		tau.type(`\x15key${round} `);
		await tau.until(`key${round} `);
		quiet = tau.screen().includes("to interrupt") ? 0 : quiet + 1;
	}
	return Number(readFileSync(longest, "utf8"));
}

test.each(Object.entries(hostile))(
	"keys are handled during %s",
	async (_name, input) => {
		const { most = mostMs } = input;
		let longest = await longestTurn(input);
		// On a machine whose caches others use, the same work takes longer at times; a defect is slow each time.
		for (let left = tries - 1; left > 0 && longest >= most; left--)
			longest = Math.min(longest, await longestTurn(input));
		expect(longest).toBeLessThan(most);
	},
	patience,
);
