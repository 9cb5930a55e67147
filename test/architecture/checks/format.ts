/** Every file is laid out by the formatter. */
import { run } from "../process.ts";
import type { Problem } from "../problem.ts";

export async function format(root: string): Promise<Problem[]> {
	const ran = await run([process.execPath, "fmt", "--check", "--no-script"], root);
	if (ran.code === 0) return [];
	if (ran.code !== 1) return [{ file: "bunfig.toml", message: `bun fmt failed: ${ran.stderr.trim()}` }];
	const files = ran.stdout.split("\n").filter((line) => line !== "" && !line.includes("bun fmt"));
	return files.map((file) => ({ file, message: `is not formatted; run: bun fmt ${file}` }));
}
