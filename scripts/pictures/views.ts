/** Draws every main view on a sheet: 80, 120 and 40 columns, dark and light. For eyes only; nothing is committed. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";

import type { Answer, Scenario } from "@tau/ai/testing";

import { take, type Scene } from "./capture.ts";
import { edits, scenario as mended } from "./project.ts";
import type { Appearance } from "./svg.ts";

type View = Partial<Pick<Scene, "settings" | "args" | "env" | "past" | "isFirstRun">> &
	Pick<Scene, "keys"> & { steps?: Scenario["steps"] };

const call = (name: string, args: Record<string, unknown>): Answer["blocks"][number] => ({
	toolCall: { name, arguments: args },
});
const calls = (...blocks: Answer["blocks"]) => ({ answer: { blocks } });

const markdown = `# Rounding in \`total\`

Two **failures**, one *cause*. See [the docs](https://example.com/rounding):

- [x] quantities are counted
- [ ] discounts leave fractions of a cent
  1. nested, with \`inline code\`
  2. and a second line that is long enough to wrap at eighty columns and at forty

| file | lines | what changes in it and why |
| --- | ---: | --- |
| \`src/cart.js\` | 3 | the sum counts quantities, and the result is rounded to whole cents |
| \`test/cart.test.js\` | 12 | nothing |

> A quote: prices are in cents.

\`\`\`js
export function total(items, discount = 0) {
	const sum = items.reduce((sum, item) => sum + item.price * (item.quantity ?? 1), 0);
	return Math.round(sum * (1 - discount)); // whole cents
}
\`\`\`

Done.`;

const thinking = "**Reading the tests**\n\nThe sum ignores quantities, so the third test fails.";
const questions = [
	{
		question: "How should discounts be rounded?",
		options: [
			{ label: "To the nearest cent", description: "what most shops do, and what the tests expect" },
			{ label: "Always down", description: "in favor of the customer" },
		],
		recommended: 0,
	},
];
const reads = ["package.json", "src/cart.js", "test/cart.test.js"].map((path) => call("read", { path }));
const tests = call("bash", { command: "npm test --silent" });
const ops = [
	{ op: "init", list: [{ phase: "Fix", items: ["Find the cause", "Fix total()", "Run the tests"] }] },
];

const views: Readonly<Record<string, View>> = {
	start: { keys: [] },
	"first-run": { keys: [["", /No model is configured/]], isFirstRun: true },
	streaming: {
		steps: [
			{ answer: { blocks: [{ text: markdown, chunks: 200 }] }, fault: { pauseMs: 60_000, afterChunks: 150 } },
		],
		keys: [["fix it\r", /quote|cents/]],
	},
	tools: {
		steps: [
			calls({ text: "I'll look." }, ...reads),
			calls(tests),
			calls(call("grep", { pattern: "total" })),
			"Two tests fail.",
		],
		keys: [["fix it\r", /Two tests fail/]],
	},
	expanded: {
		steps: [calls({ text: "I'll look." }, ...reads.slice(0, 2)), "Read."],
		keys: [
			["look\r", /Read\./],
			["\x0f", /name.*shop/],
		],
	},
	diff: {
		steps: [
			calls(call("edit", { path: "src/cart.js", edits })),
			calls(call("write", { path: "notes.md", content: "# Notes\n\nPrices are in cents.\n" })),
			"Changed.",
		],
		keys: [["fix it\r", /Changed\./]],
	},
	session: { steps: mended.steps, keys: [["fix it\r", /All four tests pass[\s\S]*%/]] },
	approval: {
		args: ["--approval-mode", "ask"],
		steps: [calls(call("bash", { command: "npm test --silent && git push origin main --force" })), "Done."],
		keys: [["go\r", /Allow|allow/]],
	},
	"approval-edit": {
		args: ["--approval-mode", "ask"],
		steps: [calls(call("edit", { path: "src/cart.js", edits })), "Done."],
		keys: [["go\r", /Allow|allow/]],
	},
	"approval-waiting": {
		args: ["--approval-mode", "ask"],
		steps: [calls(call("bash", { command: "npm test --silent" })), "Done."],
		keys: [
			["go\r", /\$/],
			["hal", /ctrl\+x/],
		],
	},
	ask: { steps: [calls(call("ask", { questions })), "Good."], keys: [["go\r", /nearest cent/]] },
	todo: {
		steps: [
			calls(call("todo", { ops })),
			calls(call("todo", { ops: [{ op: "done", task: "Find the cause" }] })),
			"Working.",
		],
		keys: [["go\r", /Working\./]],
	},
	error: { steps: [{ fault: { http: 401 } }], keys: [["go\r", /401/]] },
	retry: { steps: [{ fault: { http: 529, retryAfter: 60 }, times: 3 }], keys: [["go\r", /Retrying/]] },
	thinking: {
		steps: [{ answer: { blocks: [{ thinking }, { text: "The sum ignores quantities." }] } }],
		keys: [
			["why?\r", /ignores quantities\.\n/],
			["\x14", /third test/],
		],
	},
	markdown: { steps: [markdown], keys: [["explain\r", /Done\./]] },
	queue: {
		steps: [calls(call("bash", { command: "sleep 60" }))],
		keys: [
			["go\r", /sleep 60/],
			["also the docs\r", /Steering/],
			["then commit\x1b\r", /Follow-up/],
		],
	},
	jobs: {
		steps: [calls(call("bash", { command: "sleep 60", async: true })), "Started."],
		keys: [
			["go\r", /Started\./],
			["/jobs\r", /esc close/],
		],
	},
	completion: { keys: [["/", /❯ \S+ .*\n.*\n/]] },
	files: { keys: [["@", /cart/]] },
	shortcuts: { keys: [["?", /ctrl\+o/]] },
	help: { keys: [["/help\r", /explains one/]] },
	resume: {
		steps: ["Fine.", "Good.", { fault: { http: 401 } }],
		past: ["explain the cart", "add a coupon field to the checkout page", "fix the rounding of discounts"],
		keys: [["/resume\r", /failed/]],
	},
	model: { keys: [["/model\r", /esc close/]] },
	settings: { keys: [["/settings\r", /esc close/]] },
	context: {
		steps: [calls(...reads), "Read."],
		keys: [
			["go\r", /Read\./],
			["/context\r", /free|Free/],
		],
	},
	tree: {
		steps: [calls(...reads), "Read.", "Second."],
		keys: [
			["first\r", /Read\./],
			["second\r", /Second\./],
			["/tree\r", /esc close/],
		],
	},
	rewind: {
		steps: [calls(call("edit", { path: "src/cart.js", edits })), "Changed.", "Second."],
		keys: [
			["first\r", /Changed\./],
			["second\r", /Second\./],
			["/rewind\r", /esc close/],
		],
	},
	changes: {
		steps: [calls(call("edit", { path: "src/cart.js", edits })), "Changed."],
		keys: [
			["go\r", /Changed\./],
			["/diff\r", /esc close/],
		],
	},
	cost: {
		steps: mended.steps,
		keys: [
			["go\r", /All four tests pass[\s\S]*%/],
			["/cost\r", /total|Total/],
		],
	},
	status: { keys: [["/status\r", /directory/]] },
	login: { keys: [["/login\r", /esc close/]] },
	theme: { keys: [["/theme\r", /light/]] },
	tool_list: { keys: [["/tools\r", /esc close/]] },
	permissions: { keys: [["/permissions\r", /esc|rule/]] },
	command: { keys: [["!ls -la\r", /package\.json/]] },
};

const sizes = [
	{ columns: 80, rows: 24 },
	{ columns: 120, rows: 40 },
	{ columns: 40, rows: 24 },
] as const;

/** Writes PNGs where rsvg-convert is installed (librsvg2-bin), otherwise SVGs. Without names, all views. */
export async function drawSheets(names: readonly string[]): Promise<void> {
	const directory = join(import.meta.dir, "../../node_modules/.cache/views");
	mkdirSync(directory, { recursive: true });
	for (const [name, view] of Object.entries(views)) {
		if (names.length > 0 && !names.includes(name)) continue;
		try {
			process.stdout.write(`${await drawSheet(join(directory, name), view)}\n`);
		} catch (error) {
			// One view that does not come up must not hide the others.
			process.stdout.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
			process.exitCode = 1;
		}
	}
}

async function drawSheet(file: string, { steps = [], ...view }: View): Promise<string> {
	const picture = (size: (typeof sizes)[number], appearance: Appearance): Promise<string> =>
		take({
			...view,
			...size,
			appearance,
			title: file,
			scenario: { steps, fallback: "Fine." },
			isWhole: true,
		});
	const [small, large, narrow] = sizes;
	const rows = [
		[await picture(small, "dark"), await picture(small, "light")],
		[await picture(large, "dark"), await picture(narrow, "dark")],
		[await picture(large, "light"), await picture(narrow, "light")],
	];
	const svg = sheetOf(rows);
	await Bun.write(`${file}.svg`, svg);
	if (Bun.which("rsvg-convert") === null) return `${file}.svg`;
	const drawn = Bun.spawnSync(["rsvg-convert", "-o", `${file}.png`, `${file}.svg`]);
	if (drawn.exitCode !== 0) throw new Error(drawn.stderr.toString());
	return `${file}.png`;
}

/** Pictures beside and below each other. */
function sheetOf(rows: readonly (readonly string[])[]): string {
	let top = 0;
	let widest = 0;
	const placed: string[] = [];
	for (const row of rows) {
		let left = 0;
		let highest = 0;
		for (const svg of row) {
			const [, width = "0", height = "0"] = /width="([\d.]+)" height="([\d.]+)"/.exec(svg) ?? [];
			placed.push(svg.replace("<svg ", `<svg x="${left}" y="${top}" `));
			left += Number(width) + 8;
			highest = Math.max(highest, Number(height));
		}
		widest = Math.max(widest, left);
		top += highest + 8;
	}
	return `<svg xmlns="http://www.w3.org/2000/svg" width="${widest}" height="${top}"><rect width="100%" height="100%" fill="#888"/>${placed.join("")}</svg>`;
}
