/** Work that agents left in isolated trees is found by `tau doctor`, and merged by `tau trees`. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { localMachine } from "@tau/sys";
import { isolate } from "@tau/machines/isolation";

import { launch, type Launched } from "../support/launch.ts";

let tau: Launched;
const { signal } = new AbortController();
const trees = (): string => join(tau.home, ".tau/state/trees");

beforeAll(async () => {
	tau = await launch({ steps: [] });
	writeFileSync(join(tau.project, "a.txt"), "old\n");
	const options = { root: tau.project, cwd: tau.project, mode: "copy", directory: trees(), signal } as const;
	await using tree = await isolate(localMachine(), { ...options, label: "Writer" });
	writeFileSync(join(tree.cwd, "a.txt"), "new\n");
	writeFileSync(join(tree.cwd, ".mcp.json"), "{}\n");
});
afterAll(() => tau[Symbol.asyncDispose]());

test("they are found, shown, merged and gone", async () => {
	const [id = ""] = readdirSync(trees());
	const doctor = await tau.run(["doctor"]);
	expect(doctor.out).toMatch(new RegExp(`Work of agents that is not merged \\(1\\)\n  ${id} +Writer +copy`));
	expect((await tau.run(["trees"])).out).toContain(id);
	expect(JSON.parse((await tau.run(["trees", "--mode", "json"])).out)).toMatchObject({ id, label: "Writer" });
	const what = "configuration of Tau or of another agent in the project";
	const shown = `created .mcp.json (protected: ${what})\nchanged a.txt\n`;
	expect(await tau.run(["trees", "show", id])).toEqual({ code: 0, out: shown, err: "" });
	expect(readFileSync(join(tau.project, "a.txt"), "utf8")).toBe("old\n");
	const first = await tau.run(["trees", "merge", id]);
	expect(first).toMatchObject({ code: 1, err: "" });
	expect(first.out).toStartWith(`changed a.txt\nnot merged: .mcp.json is protected (${what})\n`);
	expect(readFileSync(join(tau.project, "a.txt"), "utf8")).toBe("new\n");
	expect(existsSync(join(tau.project, ".mcp.json"))).toBe(false);
	const second = await tau.run(["trees", "merge", id, "--auto-approve"]);
	expect(second).toEqual({ code: 0, out: "created .mcp.json\n", err: "" });
	expect((await tau.run(["trees", "list"])).out).toBe("No leftover agent worktrees.\n");
	expect(await tau.run(["trees", "merge", id])).toMatchObject({ code: 2, err: expect.stringContaining(id) });
});
