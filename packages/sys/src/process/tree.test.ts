/** A process is ended with all of its descendants, and no other process is. */
import { afterEach, expect, test } from "bun:test";

import { needs } from "../../../../test/support/needs.ts";
import { listProcesses, nameProcess, readProcess, startedWith, ticksSinceBoot } from "./table.ts";
import { killFamily, killTree, listDescendants } from "./tree.ts";

const mark = `mark-${crypto.randomUUID()}`;

interface Started {
	pid: number;
	/** The pids that the script printed before `ready`. */
	pids: number[];
	exited: Promise<number>;
}

/** Runs a script that prints process ids and then `ready`. */
async function start(script: string, detached = true): Promise<Started> {
	const child = Bun.spawn(["sh", "-c", script], {
		detached,
		stdin: "ignore",
		stdout: "pipe",
		env: { PATH: process.env.PATH ?? "", TAU_TEST_MARK: mark },
	});
	let text = "";
	for await (const chunk of child.stdout) {
		text += new TextDecoder().decode(chunk);
		if (text.includes("ready")) break;
	}
	return { pid: child.pid, pids: [...text.matchAll(/\d+/g)].map(Number), exited: child.exited };
}

function marked(): number[] {
	return listProcesses()
		.map((entry) => entry.pid)
		.filter((pid) => startedWith(pid, mark));
}

function alive(pids: readonly number[]): number[] {
	return pids.filter((pid) => readProcess(pid) !== undefined);
}

afterEach(async () => {
	const forgotten = marked();
	for (const pid of forgotten) process.kill(pid, "SIGKILL");
	expect(forgotten).toEqual([]);
});

test("descendants are listed, parents before their children", async () => {
	const tree = await start("sh -c 'echo $$; sleep 100 & echo $! ready; wait' & wait");
	const descendants = listDescendants(tree.pid);
	const [child = 0, grandchild = 0] = tree.pids;
	expect(descendants).toEqual(expect.arrayContaining([child, grandchild]));
	expect(descendants.indexOf(child)).toBeLessThan(descendants.indexOf(grandchild));
	expect(descendants).not.toContain(tree.pid);
	await killTree(tree.pid);
	expect(alive([tree.pid, ...descendants])).toEqual([]);
});

test("a process without children and a process that does not exist have no descendants", () => {
	expect(listDescendants(2 ** 22 + 1)).toEqual([]);
});

test("a name with parentheses and spaces does not confuse the list", async () => {
	const odd = "printf 'x) S 1 (y' > /proc/$$/comm; echo $$; sleep 100 & echo $! ready; wait";
	const tree = await start(`sh -c "${odd.replaceAll("$", "\\$")}" & wait`);
	expect(listDescendants(tree.pid)).toEqual(tree.pids);
	await killTree(tree.pid);
	expect(alive(tree.pids)).toEqual([]);
});

test("a process in a group with others is ended without them", async () => {
	const bystander = await start("echo ready; exec sleep 100", false);
	const victim = await start("sleep 100 & echo $!; echo ready; wait", false);
	await killTree(victim.pid);
	expect(alive([victim.pid, ...victim.pids])).toEqual([]);
	expect(alive([bystander.pid])).toEqual([bystander.pid]);
	await killTree(bystander.pid);
	await bystander.exited;
});

test("a process that ended before is not an error", async () => {
	const gone = await start("echo ready");
	await gone.exited;
	await killTree(gone.pid);
});

needs("setsid")("what has left its tree is found by its mark, and only by it", async () => {
	const tree = await start("(setsid sh -c 'echo $$ ready; exec sleep 100' &); exec sleep 100");
	await killTree(tree.pid, "a mark that nobody has");
	expect(alive(tree.pids)).toEqual(tree.pids);
	await killTree(tree.pid, mark);
	expect(alive(tree.pids)).toEqual([]);
});

test("the number of ended processes is returned", async () => {
	const tree = await start("sleep 100 & sleep 100 & echo ready; wait");
	expect(await killTree(tree.pid)).toBe(3);
	expect(await killTree(tree.pid)).toBe(0);
});

test("a process with a reused pid is spared", async () => {
	const other = await start("sleep 100 & echo $!; echo ready; wait");
	const impostor = { ...nameProcess(other.pid), started: nameProcess(other.pid).started - 1 };
	expect(await killFamily({ leaders: [impostor] })).toBe(0);
	expect(alive([other.pid, ...other.pids])).toHaveLength(2);
	await killTree(other.pid);
});

test("earlier processes are spared with their children, and leaders are kept on request", async () => {
	const tree = await start("sh -c 'sleep 100 & echo $!; wait' & echo $!; sleep 0.05; echo ready; wait");
	const leader = nameProcess(tree.pid);
	expect(await killFamily({ leaders: [leader], since: ticksSinceBoot() + 1, keepLeaders: true })).toBe(0);
	expect(alive([tree.pid, ...tree.pids])).toHaveLength(3);
	const child = tree.pids.find((pid) => readProcess(pid)?.parent === tree.pid);
	expect(await killFamily({ leaders: [leader], spare: (pid) => pid === child, keepLeaders: true })).toBe(0);
	expect(await killFamily({ leaders: [leader] })).toBe(3);
});
