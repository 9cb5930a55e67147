/** The type checker finds nothing, with the strict settings of the tree's tsconfig.json. */
import { existsSync } from "node:fs";
import { join } from "node:path";

import { run } from "../process.ts";
import type { Problem } from "../problem.ts";
import { readFiles } from "../tree.ts";

const reported = /^(.+?)\((\d+),\d+\): error (TS\d+: .*)$/;

/** A tree that was found right is not checked again until it changes: `npm run check` and `npm test` do it once. */
export async function types(root: string): Promise<Problem[]> {
	const state = await stateOf(root);
	const checked = Bun.file(join(root, "node_modules/.cache/types-checked"));
	if ((await checked.exists()) && (await checked.text()) === state) return [];
	const problems = await check(root);
	if (problems.length === 0 && existsSync(join(root, "node_modules"))) await Bun.write(checked, state);
	return problems;
}

/** Whatever the type checker reads: the sources, their settings, and the versions of the packages. */
async function stateOf(root: string): Promise<string> {
	const files = await readFiles(root, (path) => /\.(?:[cm]?tsx?|json|lock)$/.test(path));
	const hash = new Bun.CryptoHasher("sha256").update(Bun.version);
	for (const { path, text } of files) hash.update(`\0${path}\0${text.length}\0${text}`);
	return hash.digest("hex");
}

/** The page runs in browsers, which have other globals. */
const projects = [".", "packages/web/src/page"];

async function check(root: string): Promise<Problem[]> {
	const there = projects.filter((project) => existsSync(join(root, project, "tsconfig.json")));
	return (await Promise.all(there.map((project) => checkProject(root, project)))).flat();
}

async function checkProject(root: string, project: string): Promise<Problem[]> {
	const command = [process.execPath, "check", "--no-script", "--no-pretty", "--all", "-p", project];
	const ran = await run(command, root);
	if (ran.code === 0) return [];
	const problems = ran.stdout.split("\n").flatMap((line): Problem[] => {
		const [, file, at, message] = reported.exec(line) ?? [];
		return file && message ? [{ file, line: Number(at), message }] : [];
	});
	if (problems.length > 0) return problems;
	const said = `${ran.stdout}${ran.stderr}`.trim();
	return [{ file: "tsconfig.json", message: `bun check failed; run it by hand: ${said}` }];
}
