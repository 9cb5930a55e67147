/**
 * `npm run bare`: both commands of the README on a minimal Debian with Node and npm alone, as root and as an ordinary user,
 * with the clone in a private home, in /srv and below /tmp in a path with blanks. It clones what is committed.
 */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { cells, commandsOf, outcomeOf, type Cell, type Outcome } from "./cells.ts";
import { bareImage } from "./image.ts";

const usage = `npm run bare -- [options] [--tests PATH …]
  --root, --user    one account instead of both
  --place NAME      one place instead of all: home, srv, tmp (may be repeated)
  --tau             only ./tau, no tests
  --tests PATH …    only the tests below these paths
  --cache DIR       where the image and the logs are kept (node_modules/.cache/bare)
`;

const repository = join(import.meta.dir, "../..");
const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		root: { type: "boolean", default: false },
		user: { type: "boolean", default: false },
		place: { type: "string", multiple: true, default: [] },
		tau: { type: "boolean", default: false },
		tests: { type: "string", multiple: true, default: [] },
		cache: { type: "string", default: join(repository, "node_modules/.cache/bare") },
		help: { type: "boolean", default: false },
	},
});
const cache = resolve(values.cache);

async function run(cell: Cell, image: string): Promise<Outcome> {
	const folder = await mkdtemp(join(cache, "cell-"));
	const log = join(cache, `${cell.user}-${cell.place}.log`);
	try {
		for (const name of ["root", "upper", "work"]) await mkdir(join(folder, name));
		const enter = ["sh", join(import.meta.dir, "enter.sh"), image, folder, repository, cell.directory];
		const commands = commandsOf(values.tau ? undefined : [...values.tests, ...positionals]);
		// Its mounts and processes end with it, however it ends.
		const alone = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--propagation", "private"];
		const child = Bun.spawn(
			["sh", "-c", `exec "$@" >"$0" 2>&1`, log, ...alone, ...enter, cell.user, "sh", "-c", commands],
			{ stdin: "ignore", stdout: "inherit", stderr: "inherit" },
		);
		const code = await child.exited;
		return outcomeOf(await Bun.file(log).text(), code);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

async function main(): Promise<number> {
	const users = (["user", "root"] as const).filter((name) => values[name]);
	const chosen = cells(users, values.place);
	const image = await bareImage(cache);
	let allGood = true;
	for (const cell of chosen) {
		const { tauWorks, tests, isGood } = await run(cell, image);
		allGood &&= isGood;
		const columns = [isGood ? "ok" : "FAILS", cell.user, cell.place, `./tau ${tauWorks ? "works" : "fails"}`];
		process.stdout.write(`${columns.map((text) => text.padEnd(7)).join("")}  ${tests}\n`);
	}
	process.stdout.write(`logs: ${cache}/*.log\n`);
	return allGood ? 0 : 1;
}

if (values.help) process.stdout.write(usage);
else process.exitCode = await main();
