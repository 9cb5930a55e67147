/** Each option of the closed list, as the real program takes it: what it opens, changes and starts. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { some } from "../../../../test/support/depth.ts";
import { needs } from "../../../../test/support/needs.ts";
import { commandFacts, type CommandFacts } from "./index.ts";
import { closedRows, longOptions, type ClosedRow, type Kind } from "./table/closed.ts";

/** Where the commands run inside of the sandbox. */
const place = { cwd: "/tmp/closed/p", home: "/tmp/closed/home" };

const samples: Readonly<Record<Kind, string>> = {
	number: "2",
	word: "a",
	text: "a",
	list: "1",
	moment: "2024-01-01",
	mode: "755",
	plus: "+%F",
	dateFormat: "iso",
	format: "%s",
	prettyFormat: "%%",
	range: "1,2",
	sortKey: "1",
	variable: "v=1",
	rev: "HEAD",
	head: "HEAD",
	key: "user.name",
	sed: "p",
	awk: "'{print}'",
	jq: ".",
	path: "notes.txt",
	directory: "src",
	write: "made",
};
/** The shell's own: there is no program to trace. */
const builtins = new Set(["cd", "export", "type", "command"]);
const ofFiles = /^git (?:add|blame|check-ignore|ls-files|status)/u;

function sampleOf(kind: string, program: string): string {
	if (kind === "rev" && ofFiles.test(program)) return "notes.txt";
	if (kind === "sortKey" && program.startsWith("git ")) return "refname";
	return samples[kind.replace("*", "") as Kind];
}

/** Every option of a row in every form, each in a command of its own. */
function commandsOf([name, row]: readonly [string, ClosedRow]): string[] {
	const value = (kind: string): string => sampleOf(kind, name);
	const pairs = (list = ""): string[][] =>
		list
			.split(" ")
			.filter(Boolean)
			.map((each) => each.split(":"));
	const long = longOptions(row).flatMap((word) => {
		const [, option = "", isOptional, kind] = /^([\w-]+)(\??)(?:=(\w+))?$/u.exec(word) ?? [];
		if (kind === undefined) return [`--${option}`];
		return [`--${option}=${value(kind)}`, isOptional ? `--${option}` : `--${option} ${value(kind)}`];
	});
	const words = (row.words ?? "")
		.split(" ")
		.filter((word) => word.startsWith("-"))
		.map((word) => word.split(":"))
		.map(([option, kinds]) => [option, ...(kinds?.split(",") ?? []).map(value)].join(" "));
	const options = [
		...[...(row.flags ?? "")].map((letter) => `-${letter}`),
		...pairs(row.valued).flatMap(([letter, kind = ""]) => [
			`-${letter} ${value(kind)}`,
			`-${letter}${value(kind)}`,
		]),
		...pairs(row.attached).flatMap(([letter, kind = ""]) => [`-${letter}`, `-${letter}${value(kind)}`]),
		...long,
		...words,
		...(row.digits ? ["-2"] : []),
		"",
	];
	return [...new Set(options)].map((option) => withOperands(name, row, option));
}

function withOperands(name: string, row: ClosedRow, option: string): string {
	const [given = ""] = option.split(/[ =]/u, 1);
	const has = (list = ""): boolean => given !== "" && list.split(" ").includes(given);
	const kinds = (row.operands ?? "").split(" ").filter(Boolean);
	if (has(row.instead)) kinds.shift();
	const takes = row.lists === undefined || has(row.lists);
	const operands = takes ? kinds.map((kind) => sampleOf(kind, name)) : [];
	if (row.moves) operands.unshift("todo.txt");
	if (name === "rm") operands.splice(0, 1, "todo.txt");
	if (name === "[") operands.push("]");
	if (name === "git config" && /^(?:-l|--list)$/u.test(option)) operands.length = 0;
	const needed = row.needs !== undefined && !has(row.needs) ? (row.needs.split(" ")[0] ?? "") : "";
	const command = row.order === "last" ? [name, ...operands, option] : [name, needed, option, ...operands];
	return command.filter((word) => word !== "").join(" ");
}

const rows = closedRows().filter(([name]) => !builtins.has(name) && name !== "xargs");
const commands = rows.flatMap(commandsOf);

test("every option of the list in every form runs unasked", () => {
	const asked = commands.flatMap((command) => {
		const { programs, intricate, unknown } = commandFacts(command, place);
		const reason = unknown ?? intricate ?? programs.find(({ unlisted }) => unlisted !== undefined)?.unlisted;
		return reason === undefined ? [] : [`${command}: ${reason}`];
	});
	expect(asked).toEqual([]);
	expect(commands.length).toBeGreaterThan(900);
});

const folder = await mkdtemp(join(tmpdir(), "tau-closed-"));
afterAll(() => rm(folder, { recursive: true, force: true }), 60_000);

describe("the kernel as strace", () => {
	needs("strace", "git", "a working bwrap")(
		"an option of the list opens, changes and starts only what was predicted",
		async () => {
			const chosen = some(commands, Math.ceil(commands.length / 6));
			await runAll(chosen);
			const missed: string[] = [];
			for (const [index, command] of chosen.entries())
				missed.push(...unpredicted(command, await readFile(logOf(index, command), "utf8")));
			expect(missed).toEqual([]);
		},
		300_000,
	);
});

function logOf(index: number, command: string, kind = "logs"): string {
	const writes = commandFacts(command, place).programs.some(({ effect }) => effect === "write");
	return join(folder, kind, String(index).padStart(4, "0") + (writes ? "w" : "r"));
}

async function runAll(chosen: readonly string[]): Promise<void> {
	for (const name of ["tree/src", "commands", "logs", "home"])
		await mkdir(join(folder, name), { recursive: true });
	const files: Readonly<Record<string, string>> = {
		"notes.txt": "hello\nworld a/b\n",
		"todo.txt": "one\ntwo\n",
		"src/a.ts": "let a = 1;\n",
		"src/link": "",
		a: "[1]\n",
	};
	for (const [name, text] of Object.entries(files)) await writeFile(join(folder, "tree", name), text);
	const script = `set -e; cd "$1"; ln -sf /etc/passwd src/link; git init -q -b main; git config user.name t
		git config user.email t@example.com; git add notes.txt src/a.ts; git commit -qm first; git tag v1
		echo x >> notes.txt; git stash -q; echo y >> notes.txt`;
	const made = Bun.spawnSync(["bash", "-c", script, "_", join(folder, "tree")]);
	if (made.exitCode !== 0) throw new Error(made.stderr.toString());
	await Promise.all(
		chosen.map((command, index) => writeFile(logOf(index, command, "commands"), `exec ${command}\n`)),
	);
	const bind = (kind: string, name: string): string[] => [kind, join(folder, name), `/tmp/closed/${name}`];
	const sandbox = Bun.spawn(
		"bwrap --ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --unshare-net --unshare-pid --die-with-parent"
			.split(" ")
			.concat(bind("--ro-bind", "tree"), bind("--ro-bind", "commands"), bind("--bind", "logs"))
			.concat(bind("--bind", "home"))
			.concat("--ro-bind", new URL("fixtures/closed.sh", import.meta.url).pathname, "/tmp/closed/run.sh")
			.concat("bash", "/tmp/closed/run.sh"),
		{ stdin: "ignore", stdout: "ignore", stderr: "pipe" },
	);
	const [code, errors] = await Promise.all([sandbox.exited, sandbox.stderr.text()]);
	if (code !== 0) throw new Error(errors);
}

/** Libraries, locales, the user's settings of git, and what anybody may see of the system. */
const ofSystem =
	/^\/(?:usr|lib|lib64|bin|sbin)(?:\/|$)|^\/etc(?:\/|$)|^\/(?:proc|sys)(?:\/|$)|^\/dev\/(?:null|tty|pts.*|urandom)?$|^\/(?:var|run)\/(?:run\/)?(?:nscd|utmp|systemd)|^\/tmp\/closed\/home|^\/$|^\/tmp(?:\/closed)?$/u;

function unpredicted(command: string, trace: string): string[] {
	const facts = commandFacts(command, place);
	const [program = ""] = command.split(" ");
	const lines = trace.split("\n");
	const start = lines.findIndex((line) => line.includes(`/${program}", [`) && line.endsWith("= 0"));
	// The program is not installed.
	if (start < 0) return [];
	return lines.slice(start).flatMap((line) => {
		const call = /^\d+\s+(\w+)\((.*)$/u.exec(line);
		if (!call || /= -1 /u.test(line)) return [];
		const [, name = "", rest = ""] = call;
		const problem = problemOf(name, rest, program, facts);
		return problem === undefined ? [] : [`${command}: ${problem}`];
	});
}

function problemOf(name: string, rest: string, program: string, facts: CommandFacts): string | undefined {
	if (/^(?:socket|connect|bind)$/u.test(name))
		return /AF_UNIX|AF_NETLINK/u.test(rest) ? undefined : `${name}(${rest}`;
	// `utimensat(4, NULL, …)`: of an open file.
	if (!rest.includes('"')) return undefined;
	const [path = ""] = [...rest.matchAll(/"((?:[^"\\]|\\.)*)"/gu)].map(([, text = ""]) => text);
	if (name === "execve")
		// `egrep` is a script.
		return basename(path) === program || (/^[ef]grep$/u.test(program) && basename(path) === "grep")
			? undefined
			: `starts ${path}`;
	const absolute = path.startsWith("/") ? path : join(place.cwd, path);
	const isOpen = /^(?:open|openat|creat)$/u.test(name);
	const changes = isOpen
		? /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/u.test(rest) || name === "creat"
		: /^(?:rename|unlink|mkdir|rmdir|link|symlink|truncate|utime|chmod|chown|fchmodat|fchownat|mknod|setxattr)/u.test(
				name,
			);
	if (changes) {
		if (/^\/dev\/(?:null|tty)$/u.test(absolute)) return undefined;
		// It brings its index up to date with what is there.
		if (program === "git" && absolute.startsWith(`${place.cwd}/.git/`)) return undefined;
		const isListed = facts.writes.some(
			(write) => absolute === write.path || (write.isTree && absolute.startsWith(`${write.path}/`)),
		);
		return isListed ? undefined : `changes ${absolute} (${name})`;
	}
	if (!isOpen || absolute.startsWith(`${place.cwd}/`) || absolute === place.cwd) return undefined;
	if (/^\/etc\/(?:passwd)$/u.test(absolute) && facts.reads.some((each) => each.includes("link")))
		return `reads ${absolute} through a link`;
	return ofSystem.test(absolute) ? undefined : `opens ${absolute}`;
}
