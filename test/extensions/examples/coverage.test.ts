/** The examples together use the whole extension API, and each of them is run by a test. */
import { describe, expect, test } from "bun:test";
import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { playModel } from "@tau/ai/testing";

import { extensionFixtureWith } from "../../support/extensions.ts";
import { eventNames } from "@tau/extensions/api";
import { headlessUI } from "@tau/extensions/ui";

const root = join(import.meta.dir, "../../..");
const folder = join(root, "packages/coding-agent/examples/extensions");
const names = readdirSync(folder).filter((name) => name !== "README.md");

/** The code of all examples as one text, without comments. */
const code = globSync("**/*.{ts,js}", { cwd: folder })
	.map((file) => readFileSync(join(folder, file), "utf8"))
	.join("\n")
	.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "");

const isShown = (name: string): boolean => new RegExp(`\\b${name.replace(".", "\\.")}\\b`).test(code);

/** The API that a real extension gets, seen from inside. */
async function givenNames(): Promise<{
	api: string[];
	context: string[];
	command: string[];
	tool: string[];
}> {
	const source = `export default (pi) => {
		const seen = { api: Object.keys(pi) };
		pi.on("session_start", (_, ctx) => { seen.context = Object.keys(ctx); });
		pi.registerTool({ name: "look", description: "", parameters: {}, async execute(id, params, signal, onUpdate, ctx) {
			seen.tool = Object.keys(ctx);
			return { content: [] };
		} });
		pi.registerCommand("look", { handler: (_, ctx) => {
			seen.command = Object.keys(ctx);
			ctx.ui.notify(JSON.stringify(seen));
		} });
	};`;
	const call = { answer: { blocks: [{ toolCall: { name: "look", arguments: {} } }] } };
	await using fixture = await extensionFixtureWith(playModel)(
		{ steps: [call, "Ok."] },
		{ files: { "seen.ts": source } },
	);
	await fixture.prompt("go");
	await fixture.prompt("/look");
	return JSON.parse(fixture.shown[0]?.replace("notify: ", "") ?? "{}");
}

describe("the examples use", () => {
	test("every event", () => {
		const missing = eventNames.filter((name) => !new RegExp(`on\\("${name.replace(".", "\\.")}"`).test(code));
		expect(missing).toEqual([]);
	});

	test("every method of pi, every member of the contexts and every call of the user interface", async () => {
		const { api, context, command, tool } = await givenNames();
		const ui = Object.keys(headlessUI(() => {}));
		const all = [...api, ...context, ...command, ...tool, ...ui];
		expect(all.length).toBeGreaterThan(80);
		expect([...new Set(all)].filter((name) => !isShown(name))).toEqual([]);
	});
});

describe("the examples", () => {
	const tests = [
		...globSync("*.test.ts", { cwd: import.meta.dir }).map((file) => join(import.meta.dir, file)),
		...globSync("examples*.test.ts", { cwd: join(root, "test/extensions") }).map((file) =>
			join(root, "test/extensions", file),
		),
	];
	const tried = tests.map((file) => readFileSync(file, "utf8")).join("\n");

	test("are at least forty, each run by a test", () => {
		expect(names.length).toBeGreaterThanOrEqual(40);
		expect(names.filter((name) => !tried.includes(`"${name}"`))).toEqual([]);
	});

	test.each(names.filter((name) => name.includes(".")).map((name) => [name]))(
		"%s says what it does, and is short",
		(name) => {
			const lines = readFileSync(join(folder, name), "utf8").trim().split("\n");
			expect(lines[0]).toMatch(/^\/\*\* [A-Z].{20,160}\. \*\/$/);
			expect(lines.length).toBeLessThanOrEqual(60);
		},
	);

	test("are listed in the index, each with its first line", () => {
		const index = readFileSync(join(folder, "README.md"), "utf8");
		const missing = names.filter((name) => {
			const link = `| [${name.replace(/\.\w+$/, "")}](${name}) | `;
			const [, sentence = ""] = name.includes(".")
				? (/^\/\*\* (.*) \*\//.exec(readFileSync(join(folder, name), "utf8")) ?? [])
				: [];
			return !index.includes(link + sentence);
		});
		expect(missing).toEqual([]);
		expect(index).toContain(`${names.length} small extensions`);
	});
});
