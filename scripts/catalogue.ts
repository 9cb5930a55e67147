/** Writes the model catalogue from the data that the npm package of pi publishes: `bun scripts/catalogue.ts [version]`. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { providers, type CatalogueOrigin } from "@tau/ai";

import { convert, sourceOf, type SourceFile } from "./catalogue-convert.ts";
import defaults from "./catalogue-defaults.json" with { type: "json" };

const source = "@earendil-works/pi-ai";
const target = join(import.meta.dir, "../packages/ai/src/data");
const version = process.argv[2] ?? "latest";

const directory = mkdtempSync(join(tmpdir(), "tau-catalogue-"));
try {
	await run("npm", "pack", "--silent", "--ignore-scripts", `${source}@${version}`);
	await run("sh", "-c", "tar -xzf ./*.tgz");
	await write(join(directory, "package"));
} finally {
	rmSync(directory, { recursive: true, force: true });
}

async function run(...command: string[]): Promise<void> {
	const child = Bun.spawn(command, { cwd: directory, stdin: "ignore", stdout: "ignore", stderr: "inherit" });
	if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed`);
}

async function write(unpacked: string): Promise<void> {
	const manifest = await Bun.file(join(unpacked, "package.json")).json();
	const origin: CatalogueOrigin = {
		date: new Date().toISOString().slice(0, 10),
		source,
		version: manifest.version,
	};
	const first = new Map(Object.entries(defaults));
	const lines = [JSON.stringify(origin)];
	for (const provider of providers) {
		const file = Bun.file(join(unpacked, "dist/providers/data", `${sourceOf(provider)}.json`));
		if (!(await file.exists())) continue;
		const content: SourceFile = await file.json();
		const entries = convert(provider, content, first.get(provider.id));
		if (first.get(provider.id) !== entries[0]?.id) {
			throw new Error(
				`${provider.id} has no model ${first.get(provider.id)}: correct catalogue-defaults.json`,
			);
		}
		lines.push(...entries.map((entry) => JSON.stringify(entry)));
	}
	await Bun.write(join(target, "models.jsonl"), `${lines.join("\n")}\n`);
	await Bun.write(join(target, "NOTICE.md"), notice(origin, manifest.author, manifest.license));
	process.stdout.write(`${lines.length - 1} models of ${source} ${origin.version}\n`);
}

function notice({ date, version: used }: CatalogueOrigin, author: string, license: string): string {
	return `# Where the model data comes from

\`models.jsonl\` was generated on ${date} by \`scripts/catalogue.ts\` from the model data of the npm package \`${source}\` ${used}, copyright ${author}, licence: ${license}. Fields that Tau does not use were left out, and providers were renamed to the ids of \`providers/table.ts\`.
`;
}
