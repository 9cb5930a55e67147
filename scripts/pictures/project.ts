/** The session that the pictures show: a small project with a failing test, and a played model that mends it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Scenario } from "@tau/ai/testing";

export const prompt = "the tests fail, find out why and fix them";

/** The same project every time, so that a picture changes only when the program does. */
const files: Readonly<Record<string, string>> = {
	"package.json": '{ "name": "shop", "type": "module", "scripts": { "test": "node test/cart.test.js" } }\n',
	"src/cart.js": `/** What a cart costs, in cents. */
export function total(items, discount = 0) {
	const sum = items.reduce((sum, item) => sum + item.price, 0);
	return sum * (1 - discount);
}
`,
	"test/cart.test.js": `import assert from "node:assert/strict";
import { total } from "../src/cart.js";

const tests = {
	"an empty cart costs nothing": () => assert.equal(total([]), 0),
	"prices are added": () => assert.equal(total([{ price: 250 }, { price: 100 }]), 350),
	"quantities count": () => assert.equal(total([{ price: 250, quantity: 3 }]), 750),
	"a discount gives whole cents": () => assert.equal(total([{ price: 999 }], 0.15), 849),
};

let failed = 0;
for (const [name, run] of Object.entries(tests)) {
	try {
		run();
		console.log("ok    ", name);
	} catch ({ actual, expected }) {
		failed++;
		console.log("FAILED", name + ":", actual, "instead of", expected);
	}
}
console.log(Object.keys(tests).length - failed, "passed,", failed, "failed");
process.exitCode = failed ? 1 : 0;
`,
};

export function makeProject(directory: string): void {
	for (const [path, text] of Object.entries(files)) {
		mkdirSync(join(directory, path, ".."), { recursive: true });
		writeFileSync(join(directory, path), text);
	}
}

export const edits = [
	{ oldText: "sum + item.price, 0)", newText: "sum + item.price * (item.quantity ?? 1), 0)" },
	{ oldText: "return sum * (1 - discount);", newText: "return Math.round(sum * (1 - discount));" },
];

const summary = `Both failures came from \`total\` in \`src/cart.js\`:

- **Quantities were ignored.** An item without a quantity still counts once.
- **A discount left fractions of a cent.** The total is now rounded.

All four tests pass. Nothing else calls \`total\`, so no other code has to change.`;

const call = (name: string, args: Record<string, unknown>) => ({ toolCall: { name, arguments: args } });

export const scenario: Scenario = {
	steps: [
		{
			answer: {
				blocks: [{ text: "I'll run the tests first." }, call("bash", { command: "npm test --silent" })],
				usage: { input: 2_412, output: 58 },
			},
		},
		{
			answer: {
				blocks: [call("read", { path: "src/cart.js" }), call("read", { path: "test/cart.test.js" })],
				usage: { input: 214, output: 71, cacheRead: 2_470 },
			},
		},
		{
			answer: {
				blocks: [
					{ text: "`total` ignores quantities, and a discount leaves fractions of a cent." },
					call("edit", {
						path: "src/cart.js",
						edits,
					}),
				],
				usage: { input: 655, output: 168, cacheRead: 2_684 },
			},
		},
		{
			answer: {
				blocks: [call("bash", { command: "npm test --silent" })],
				usage: { input: 331, output: 44, cacheRead: 3_339 },
			},
		},
		{ answer: { blocks: [{ text: summary }], usage: { input: 126, output: 121, cacheRead: 3_670 } } },
	],
	fallback: "Done.",
};
