/** Links that another process exchanges between the check of a call and its work lead no file tool anywhere else. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
	existsSync,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { AgentToolResult, FrozenCall } from "@tau/agent";
import { localMachine, withHiddenFiles, withObserver } from "@tau/sys";

import { samples } from "../../../../test/support/depth.ts";
import { fixture, useDirectories, type Fixture } from "../../../../test/support/policy.ts";
import {
	notebookWith,
	secret,
	swapLinks,
	type SwappedProject,
} from "../../../../test/support/swapped-links.ts";
import { testToolEnv, textOf, type TestToolEnv } from "../../../../test/support/tool-env.ts";
import { previewEdits } from "../lsp/actions/workspace-edit.ts";
import { builtinTool } from "./index.ts";

/** Calls of each case. */
const calls = samples(10_000, 100);

/** Each call takes a millisecond or two; a busy machine may take many times as long. */
setDefaultTimeout(samples(6_000_000, 120_000));

const base = realpathSync(mkdtempSync(join(tmpdir(), "tau-swapped-")));
let project: string;
let policy: Fixture;
let env: TestToolEnv;
let swapped: SwappedProject;

beforeAll(async () => {
	const places = useDirectories(base);
	({ project } = places);
	policy = await fixture({ mode: "auto" });
	swapped = await swapLinks(project, join(places.home, ".ssh"));
	env = await testToolEnv({ cwd: project });
	const machine = withHiddenFiles(withObserver(localMachine(), env.journal), (path) =>
		policy.policy.isHidden(path),
	);
	env = { ...env, machine };
});

afterAll(async () => {
	await swapped[Symbol.asyncDispose]();
	await env[Symbol.asyncDispose]();
	rmSync(base, { recursive: true, force: true });
});

interface Outcome {
	/** Undefined if the call was not allowed. */
	readonly result: AgentToolResult | undefined;
	readonly text: string;
}

const { signal } = new AbortController();

/** As the loop does it: judged, then run with what was judged. */
async function call(name: string, args: Record<string, unknown>): Promise<Outcome> {
	const tool = builtinTool(name)?.bind(env);
	if (!tool) throw new Error(`no tool ${name}`);
	const valid = tool.validate(args);
	if (!valid.ok) throw new Error(valid.reason);
	const frozen: FrozenCall = {
		id: "call-1",
		name,
		tool,
		arguments: valid.value,
		touches: tool.touches?.(valid.value) ?? [],
		rewrittenBy: [],
		changedSince: false,
	};
	const verdict = await policy.policy.judge(frozen, signal);
	if (verdict?.allow === false) return { result: undefined, text: verdict.reason };
	const within = verdict?.allow === true ? verdict.within : undefined;
	const result = await tool
		.execute("call-1", valid.value, signal, () => {}, within)
		.catch((error: unknown): AgentToolResult => ({
			content: [{ type: "text", text: String(error) }],
			isError: true,
		}));
	return { result, text: textOf(result) + JSON.stringify(result.details ?? {}) };
}

interface Count {
	done: number;
	refused: number;
	failed: number;
}

/** A busy machine may let the other process wait: then the calls go on until it has met them. */
const patience = 20;

/** Calls a tool again and again while the links are exchanged, until each of these outcomes was there. */
async function attack(
	one: (round: number, place: string) => Promise<Outcome>,
	share = 1,
	wanted: readonly (keyof Count)[] = [],
): Promise<void> {
	const count: Count = { done: 0, refused: 0, failed: 0 };
	const most = calls * share * patience;
	for (let round = 0; round < most; round++) {
		if (round >= calls * share && wanted.every((kind) => count[kind] > 0)) break;
		const { result, text } = await one(round, round % 3 === 0 ? "moved" : "link");
		if (text.includes(secret)) throw new Error(`round ${round} shows what is outside: ${text}`);
		count[result ? (result.isError ? "failed" : "done") : "refused"]++;
	}
	expect(swapped.damage()).toEqual([]);
	for (const kind of wanted) expect(count[kind]).toBeGreaterThan(0);
}

describe("while links are exchanged", () => {
	test("write writes nothing outside, and nothing into a repository", async () => {
		// Some go through, and some meet a link that leads where a question is needed.
		await attack(
			(round, place) => call("write", { path: `${place}/new-${round % 20}`, content: `text ${round}\n` }),
			1,
			["done", "refused"],
		);
	});

	test("a file that exists there is not overwritten either", async () => {
		await attack((round, place) => call("write", { path: `${place}/config`, content: `${round}\n` }));
	});

	test("new directories are created through no link", async () => {
		await attack((round, place) => call("write", { path: `${place}/a${round % 50}/b/c`, content: "x\n" }));
	});

	test("edit changes nothing there, and shows nothing of it", async () => {
		await attack(
			(round, place) =>
				call("edit", {
					path: `${place}/code.ts`,
					edits: [{ oldText: "old(", newText: round % 2 ? "old (" : "old(" }],
				}),
			1,
			["refused"],
		);
	});

	test("read shows neither files nor directories of it", async () => {
		await attack(
			(round, place) => call("read", { path: [place, `${place}/config`, `${place}/code.ts`][round % 3] }),
			1,
			["done"],
		);
	});

	test("ls, find and grep show nothing of it", async () => {
		await attack((_round, place) => call("ls", { path: place }), 1, ["done"]);
		await attack((round, place) => call("find", { pattern: "*", path: round % 2 ? place : "." }));
		await attack(
			(round, place) => call("grep", { pattern: "SECRET|old", path: round % 2 ? place : `${place}/code.ts` }),
			0.2,
		);
	});

	test("notebook changes nothing there", async () => {
		await attack((round, place) =>
			call("notebook", {
				path: `${place}/book.ipynb`,
				action: "edit",
				cell_index: 0,
				content: `x = ${round}`,
			}),
		);
	});

	test("ast_grep shows nothing of it, and ast_edit with resolve changes nothing there", async () => {
		await attack((_round, place) => call("ast_grep", { pattern: "old($A)", path: place }), 0.3);
		await attack(async (_round, place) => {
			const shown = await call("ast_edit", { pattern: "old($A)", rewrite: "young($A)", path: place });
			if (shown.text.includes(secret) || !shown.text.includes("pending")) return shown;
			return await call("resolve", { action: "apply", reason: "x" });
		}, 0.3);
	});
});

test("while links are exchanged, the rename of a language server changes nothing there", async () => {
	await attack(async (round, place) => {
		const path = join(project, place, "code.ts");
		const before = 'export const a = old("mine");\n';
		const edited = [{ path, before, after: before.replace("old", `old${round}`) }];
		previewEdits(edited, "rename", { ...env, toolCallId: "call-1", signal, update: () => {} });
		return await call("resolve", { action: "apply", reason: "x" });
	}, 0.5);
});

describe("without an exchange", () => {
	test("nothing is refused in a directory, or behind a link that stays", async () => {
		await swapped[Symbol.asyncDispose]();
		for (const name of ["here", "moved"]) mkdirSync(join(project, name), { recursive: true });
		symlinkSync("here", join(project, "link"));
		for (const place of ["here", "link"]) {
			writeFileSync(join(project, "here/code.ts"), 'export const a = old("mine");\n');
			writeFileSync(join(project, "here/book.ipynb"), notebookWith("mine"));
			const outcomes = [
				await call("write", { path: `${place}/new/file-${place}`, content: "one\n" }),
				await call("edit", {
					path: `${place}/new/file-${place}`,
					edits: [{ oldText: "one", newText: "two" }],
				}),
				await call("read", { path: `${place}/new/file-${place}` }),
				await call("read", { path: place }),
				await call("ls", { path: place }),
				await call("find", { pattern: "**/*.ts", path: place }),
				await call("grep", { pattern: "old", path: place }),
				await call("notebook", { path: `${place}/book.ipynb`, action: "edit", cell_index: 0, content: "x" }),
				await call("ast_grep", { pattern: "old($A)", path: place }),
				await call("ast_edit", { pattern: "old($A)", rewrite: "young($A)", path: place }),
				await call("resolve", { action: "apply", reason: "x" }),
			];
			expect(outcomes.filter(({ result }) => !result || result.isError === true)).toEqual([]);
			expect(readFileSync(join(project, `here/new/file-${place}`), "utf8")).toBe("two\n");
			expect(readFileSync(join(project, "here/code.ts"), "utf8")).toContain("young(");
			expect(outcomes[6]?.text).toContain(`${place}/code.ts`);
		}
		expect(lstatSync(join(project, "link")).isSymbolicLink()).toBe(true);
	});

	test("a link that leads to a protected directory is asked about, as before", async () => {
		symlinkSync(".git", join(project, "git-link"));
		const written = await call("write", { path: "git-link/config", content: "x" });
		expect(written.result).toBeUndefined();
		expect(written.text).toContain("needs the user's approval");
		expect(existsSync(join(project, ".git/config"))).toBe(true);
		expect(swapped.damage()).toEqual([]);
	});
});
