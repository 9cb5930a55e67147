/** A settings file may be a pipe of the shell. */
import { expect, test } from "bun:test";
import { join } from "node:path";

test("what a shell makes of --config <(…) is read to its end", () => {
	const script = `const { readText } = await import(${JSON.stringify(join(import.meta.dir, "read-text.ts"))});
		process.stdout.write(JSON.stringify(readText(process.argv.at(-1))));`;
	const command = `"$0" -e "$1" <(printf 'theme: dark\\n')`;
	const { stdout } = Bun.spawnSync(["bash", "-c", command, process.execPath, script]);
	expect(JSON.parse(stdout.toString())).toEqual({ ok: true, text: "theme: dark\n" });
});
