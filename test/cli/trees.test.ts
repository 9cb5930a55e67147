/** Work that agents left in isolated trees is found by `tau doctor`, and merged by `tau trees`. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { localMachine } from "@tau/sys";
import { isolate } from "@tau/sys/isolation";

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
});
afterAll(() => tau[Symbol.asyncDispose]());

test("they are found, shown, merged and gone", async () => {
	const [id = ""] = readdirSync(trees());
	const doctor = await tau.run(["doctor"]);
	expect(doctor.out).toMatch(new RegExp(`Work of agents that is not merged \\(1\\)\n  ${id} +Writer +copy`));
	expect((await tau.run(["trees"])).out).toContain(id);
	expect(JSON.parse((await tau.run(["trees", "--mode", "json"])).out)).toMatchObject({ id, label: "Writer" });
	expect(await tau.run(["trees", "show", id])).toEqual({ code: 0, out: "changed a.txt\n", err: "" });
	expect(readFileSync(join(tau.project, "a.txt"), "utf8")).toBe("old\n");
	expect(await tau.run(["trees", "merge", id])).toEqual({ code: 0, out: "changed a.txt\n", err: "" });
	expect(readFileSync(join(tau.project, "a.txt"), "utf8")).toBe("new\n");
	expect((await tau.run(["trees", "list"])).out).toBe("No tree was left.\n");
	expect(await tau.run(["trees", "merge", id])).toMatchObject({ code: 2, err: expect.stringContaining(id) });
});
