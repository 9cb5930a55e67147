/** Patterns in a command are judged as the files that they match. */
import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { FrozenCall, Touch } from "@tau/agent";

import { callItems } from "./call-items.ts";

const project = realpathSync(mkdtempSync(join(tmpdir(), "tau-items-")));
afterAll(() => rmSync(project, { recursive: true, force: true }));

async function readsOf(command: string): Promise<string[]> {
	const touches: Touch[] = [{ kind: "exec", command, cwd: project }];
	const call = { name: "bash", tool: { approval: "exec", touches: () => touches }, touches };
	// Only what is judged of a call is needed.
	const items = await callItems(call as unknown as FrozenCall, { home: project });
	return items.flatMap((item) => (item.kind === "read" ? item.paths.slice(0, 1) : [])).toSorted();
}

test("a pattern of a command reads every file that it matches, hidden ones too", async () => {
	for (const name of [".env", ".env.local", "a.txt"]) writeFileSync(join(project, name), "");
	expect(await readsOf("cat .e*")).toEqual([join(project, ".env"), join(project, ".env.local")]);
	expect(await readsOf("cat ?.txt")).toEqual([join(project, "a.txt")]);
	expect(await readsOf("cat none*")).toEqual([]);
});

test("a pattern with very many matches reads its directory", async () => {
	for (let at = 0; at < 15; at++) mkdirSync(join(project, `many-${at}`));
	expect(await readsOf("cat */../*/../*/x")).toContain(project);
});
