/** The engine of a session compiles late, and nobody else's does. */
import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { engineThresholds } from "./engine.ts";

/** Reports the environment that the process was started with, and the one that the programs of Tau get. */
const script = `
	import { tuneEngine } from ${JSON.stringify(join(import.meta.dir, "engine.ts"))};
	tuneEngine([import.meta.path, ...process.argv.slice(2)]);
	const names = (text) => text.split(/[\\0\\n]/).filter((line) => /^(?:BUN_JSC_|TAU_ENGINE)/.test(line)).sort();
	const own = process.platform === "linux" ? await Bun.file("/proc/self/environ").text() : "";
	const passed = Object.keys(process.env).join("\\n");
	console.log(JSON.stringify({ own: names(own), passed: names(passed), args: process.argv.slice(2), pid: process.pid }));
`;

interface Report {
	own: string[];
	passed: string[];
	args: string[];
	pid: number;
}

async function report(env: Record<string, string>): Promise<{ report: Report; errors: string; pid: number }> {
	const directory = mkdtempSync(join(tmpdir(), "tau-engine-"));
	try {
		writeFileSync(join(directory, "report.ts"), script);
		const command = [process.execPath, join(directory, "report.ts"), "an argument", ""];
		const options = { env: { PATH: process.env.PATH, ...env }, stderr: "pipe", timeout: 60_000 } as const;
		await using run = Bun.spawn(command, options);
		const [output, errors] = await Promise.all([run.stdout.text(), run.stderr.text()]);
		return { report: JSON.parse(output), errors, pid: run.pid };
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
}

const settings = Object.entries(engineThresholds).map(([name, value]) => `${name}=${value}`);

test("a process starts itself again with the thresholds, once, and programs that it starts do not get them", async () => {
	const { report: seen, errors, pid } = await report({});
	expect(seen.own).toEqual(process.platform === "linux" ? [...settings, "TAU_ENGINE=tuned"].toSorted() : []);
	expect(seen.passed).toEqual([]);
	expect(seen.args).toEqual(["an argument", ""]);
	expect([seen.pid, errors]).toEqual([pid, ""]);
});

test("options of the engine that a user has set stay as they are", async () => {
	const { report: seen } = await report({ BUN_JSC_useConcurrentGC: "1" });
	expect(seen.passed).toEqual(["BUN_JSC_useConcurrentGC"]);
});

test("./tau starts the executable with the same thresholds, so that it need not start again", () => {
	const launcher = readFileSync(join(import.meta.dir, "../../../tau"), "utf8");
	const set = [...launcher.matchAll(/^\t+(BUN_JSC_\w+)="\$\{\1:-(\d+)\}"/gm)].map(
		([, name, value]) => `${name}=${value}`,
	);
	expect(set.toSorted()).toEqual(settings.toSorted());
});
