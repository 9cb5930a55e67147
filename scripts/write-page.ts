/** Writes a page or a table from a function of the application that makes it from a table. */
import { join } from "node:path";

const root = join(import.meta.dir, "..");

/** The module and the file are paths from the root. `setup` is code that runs before. The module is run by itself, because scripts know the application only as a program. */
export async function writePage(module: string, maker: string, file: string, setup = ""): Promise<number> {
	const code = `${setup} const made = await import(process.env.TAU_PAGE_MODULE); process.stdout.write(await made.${maker}());`;
	const child = Bun.spawn([process.execPath, "-e", code], {
		cwd: root,
		env: { ...process.env, TAU_PAGE_MODULE: join(root, module) },
		stdin: "ignore",
		stdout: "pipe",
		stderr: "inherit",
	});
	const text = await child.stdout.text();
	const exitCode = await child.exited;
	// An empty page would be committed as easily as a right one.
	if (exitCode !== 0 || text === "") return exitCode === 0 ? 1 : exitCode;
	await Bun.write(join(root, file), text);
	return 0;
}
