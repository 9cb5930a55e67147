/** In plan mode any command may run, and none can write: neither to the project nor anywhere else that stays. */
import { afterAll, beforeAll, expect } from "bun:test";
import {
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import { localMachine } from "@tau/sys";
import { withSandbox } from "@tau/machines/sandbox";

import { needs } from "../../../../test/support/needs.ts";
import { Settings } from "@tau/config/settings";
import { SessionSandbox } from "./session-sandbox.ts";

const sandboxed = needs("bwrap", "nsenter", "git");
let root = "";
let cwd = "";

beforeAll(() => {
	root = realpathSync(mkdtempSync(join(homedir(), ".tau-plan-wall-")));
	cwd = join(root, "project");
	mkdirSync(join(cwd, "dir"), { recursive: true });
	writeFileSync(join(cwd, "a.txt"), "b\na\nc\n");
	writeFileSync(join(cwd, "dir/b.txt"), "text\n");
	if (Bun.which("git") === null) return;
	const git = (...args: string[]): void =>
		void Bun.spawnSync(["git", "-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd });
	git("init", "-q");
	git("add", "-A");
	git("commit", "-qm", "first");
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const probes = `echo x > made
echo x >> a.txt
: > a.txt
echo x | tee made
sort -o a.txt a.txt
find . -name a.txt -fprint made
find . -name a.txt -delete
find . -name a.txt -exec rm {} +
git log --output=made
git commit -qam change --allow-empty
git add -A; git -c user.name=t -c user.email=t@t commit -qm x --allow-empty
git checkout -q -b other
git stash
git config user.name x
git gc -q
git tag x
git branch x
git reset --hard -q HEAD~0
git clean -fdxq
git rm -q a.txt
git mv a.txt z.txt
git apply --index /dev/null; git update-ref refs/heads/x HEAD
rm a.txt
rm -rf dir
mv a.txt z.txt
cp a.txt z.txt
ln -s a.txt link
ln a.txt hard
mkdir made
rmdir dir
touch a.txt
touch made
chmod 777 a.txt
truncate -s 0 a.txt
dd if=/dev/zero of=made count=1
sed -i s/a/x/ a.txt
perl -i -pe s/a/x/ a.txt
perl -e 'open F, ">", "made"; print F 1'
python3 -c 'open("made","w").write("x")'
awk 'BEGIN { print "x" > "made" }'
tar cf made.tar a.txt
gzip -k a.txt
split -l 1 a.txt part
install a.txt z.txt
mkfifo made
script -qc true made
bash -c 'echo x > made'
sh -c '(echo x > made) & wait'
env -i sh -c 'cat > made < a.txt'
xargs -I{} touch {} < a.txt
echo x > ~/made
mktemp -p .`.split("\n");

/** Everything that is there, with contents and times. */
function snapshot(path = root): string[] {
	return readdirSync(path, { withFileTypes: true }).flatMap((entry): string[] => {
		const at = join(path, entry.name);
		if (entry.name === "cache" || entry.name === "agent") return [];
		if (entry.isDirectory()) return [`${at}/ ${statSync(at).mode}`, ...snapshot(at)];
		const { mode, nlink, mtimeMs } = statSync(at);
		return [`${at} ${mode} ${nlink} ${mtimeMs} ${entry.isFile() ? Bun.hash(readFileSync(at)) : ""}`];
	});
}

const reads = [
	"ls -la",
	"cat a.txt",
	"grep -rn text .",
	"git status --short",
	"git log --oneline",
	"git diff",
	"git show --stat",
	"find . -name '*.txt'",
	"wc -l a.txt",
	"sort a.txt",
	"head -1 a.txt | tr a-z A-Z",
	"sed -n 1p a.txt",
	"awk '{ print $1 }' a.txt",
	"du -sh .",
	"stat a.txt",
	"diff a.txt dir/b.txt || true",
	"python3 -c 'print(open(\"a.txt\").read())'",
	"tar cf - a.txt | tar tf -",
	"echo x > /tmp/scratch && cat /tmp/scratch",
];

sandboxed(
	"none of more than 50 commands that write changes anything, and commands that read work",
	async () => {
		expect(probes.length).toBeGreaterThanOrEqual(50);
		const settings = await Settings.load({ cwd, agentDir: join(root, "agent") });
		const env = { PATH: process.env.PATH ?? "", HOME: root, TAU_SANDBOX: "required" };
		await using sandbox = new SessionSandbox({ cwd, env, settings, policy: { mode: () => "plan" } });
		const machine = withSandbox(localMachine(), sandbox.launcher);
		await using session = machine.shell.session({ cwd, env });
		const { signal } = new AbortController();
		const run = async (command: string): Promise<number | undefined> =>
			(await session.run({ command: `cd ${cwd}; ${command}`, timeoutMs: 20_000, signal, onOutput() {} }))
				.exitCode;
		await run("true");
		const before = snapshot();
		const written: string[] = [];
		for (const probe of probes) {
			await run(probe);
			if (!Bun.deepEquals(snapshot(), before)) written.push(probe);
		}
		expect(written).toEqual([]);
		const failing: string[] = [];
		for (const command of reads) if ((await run(command)) !== 0) failing.push(command);
		expect(failing).toEqual([]);
	},
	180_000,
);
