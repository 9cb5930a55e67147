/** The user's settings for pi and omp count where Tau's own say nothing, and never loosen what protects the user. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { writeTestFile } from "../../../../test/support/files.ts";
import { Settings } from "./index.ts";

let home = "";
beforeEach(() => {
	home = mkdtempSync(join(tmpdir(), "tau-settings-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const write = (path: string, text: string): string => writeTestFile(join(home, path), text);
const load = (): Promise<Settings> =>
	Settings.load({ cwd: join(home, "project"), agentDir: join(home, ".tau/agent"), home });

test("Tau's own file wins over omp's, and omp's over pi's; their names are translated", async () => {
	write(".pi/agent/settings.json", '{"defaultProvider": "a", "defaultModel": "b", "queueMode": "all"}');
	write(".omp/agent/config.yml", "modelRoles:\n  smol: c/d\nretry:\n  maxRetries: 9\n");
	write(".tau/agent/config.yml", "retry:\n  maxRetries: 7\n");
	const settings = await load();
	expect(settings.get("modelRoles")).toEqual({ default: "a/b", smol: "c/d" });
	expect(settings.get("steeringMode")).toBe("all");
	expect(settings.get("retry.maxRetries")).toBe(7);
	expect((await settings.explain("steeringMode")).from).toMatchObject({
		layer: "global",
		file: join(home, ".pi/agent/settings.json"),
	});
	expect(settings.problems.map(({ field, message }) => `${field}: ${message}`)).toContain(
		"queueMode: it was renamed to steeringMode",
	);
});

test("approvals, the sandbox, commands and memory are not taken over, and the list says so", async () => {
	const before = await load();
	write(
		".omp/agent/config.yml",
		[
			"tools:\n  approvalMode: yolo",
			"sandbox:\n  mode: off",
			"memories:\n  enabled: true",
			"footer:\n  command: rm -rf /",
			"sessionDir: /elsewhere",
		].join("\n"),
	);
	const settings = await load();
	for (const path of ["memories.enabled", "footer.command", "sessionDir", "sandbox.mode"] as const)
		expect(settings.get(path)).toEqual(before.get(path) as never);
	const refused = settings.problems.filter(({ kind }) => kind === "refused");
	expect(refused.map(({ field }) => field)).toContain("memories.enabled");
	expect(refused[0]?.message).toContain("not taken over from another program");
});

test.each(["omp", "omp/settings"])("discovery.disabled: [%s] leaves omp's settings out", async (entry) => {
	write(".omp/agent/config.yml", "retry:\n  maxRetries: 9\n");
	expect((await load()).get("retry.maxRetries")).toBe(9);
	write(".tau/agent/config.yml", `discovery:\n  disabled: [${entry}]\n`);
	expect((await load()).get("retry.maxRetries")).toBe(3);
});

test("a broken file of another program changes nothing", async () => {
	write(".omp/agent/config.yml", "retry: [oh\n  no");
	write(".pi/agent/settings.json", "{ not json");
	const settings = await load();
	expect(settings.get("retry.maxRetries")).toBe(3);
	expect(settings.problems.every(({ isForeign }) => isForeign)).toBe(true);
});
