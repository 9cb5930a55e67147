/** Random changes and random rewinds: every rewind gives exactly the files that were there. */
import { expect, test } from "bun:test";
import {
	appendFileSync,
	chmodSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	renameSync,
	symlinkSync,
	truncateSync,
	unlinkSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

import { samples } from "../../../../test/support/depth.ts";
import { needs } from "../../../../test/support/needs.ts";
import { TestProject } from "./testing/project.ts";

const rewinds = samples(500);
const turns = samples(80, 12);
const trees = samples(30, 2);

/** A generator with a seed (mulberry32), so that a failure can be repeated. */
function random(seed: number): (below: number) => number {
	let state = seed;
	return (below) => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
	};
}

class Changer {
	readonly #project: TestProject;
	readonly #pick: (below: number) => number;
	#trashed = 0;

	constructor(project: TestProject, pick: (below: number) => number) {
		this.#project = project;
		this.#pick = pick;
	}

	/** One random change; one that is not possible changes nothing. */
	change(): void {
		const path = this.#anyPath();
		const operations: (() => void)[] = [
			() => writeFileSync(this.#newPath(), this.#content()),
			() => writeFileSync(this.#newPath(), this.#content()),
			() => writeFileSync(path, this.#content()),
			() => appendFileSync(path, this.#content()),
			() => truncateSync(path, this.#pick(3)),
			() => chmodSync(path, this.#pick(2) === 0 ? 0o755 : 0o640),
			() => unlinkSync(path),
			() => mkdirSync(this.#newPath()),
			() => symlinkSync(`to-${this.#pick(5)}`, this.#newPath()),
			() => renameSync(path, this.#newPath()),
			() => renameSync(path, this.#anyPath()),
			() => this.#trash(path),
			() => {
				this.#trash(path);
				if (this.#pick(2) === 0) mkdirSync(path);
				else writeFileSync(path, this.#content());
			},
		];
		try {
			operations[this.#pick(operations.length)]?.();
		} catch {
			// A file where a directory is needed, or the other way round.
		}
	}

	/** Trees are moved away instead of deleted. */
	#trash(path: string): void {
		if (path !== this.#project.root) renameSync(path, join(this.#project.home, `trash-${this.#trashed++}`));
	}

	#content(): string {
		return `${this.#pick(1000)}\n`.repeat(this.#pick(4));
	}

	#newPath(): string {
		const at = this.#anyPath();
		const directory = lstatSync(at).isDirectory() ? at : dirname(at);
		return join(directory, `${"abcdef"[this.#pick(6)] ?? ""}${this.#pick(3)}`);
	}

	#anyPath(): string {
		let at = this.#project.root;
		for (let depth = 0; depth < 4; depth++) {
			const names = readdirSync(at).filter((name) => name !== ".git");
			const name = names[this.#pick(names.length + 1)];
			if (name === undefined) return at;
			at = join(at, name);
			if (!lstatSync(at).isDirectory()) return at;
		}
		return at;
	}
}

needs("git")(`${rewinds} random rewinds, 0 differences, in a repository`, () =>
	rewindsWell((project) => project.commitAll(), 1),
);
test(`${rewinds} random rewinds, 0 differences, in no repository`, () => rewindsWell(() => {}, 2));
needs("git")(`${trees} other trees, 20 random rewinds of each, 0 differences`, async () => {
	for (let tree = 0; tree < trees; tree++)
		await rewindsWell((project) => tree % 3 < 2 && project.commitAll(), 100 + tree, 20, 10);
});

async function rewindsWell(
	prepare: (project: TestProject) => void,
	seed: number,
	count = rewinds,
	mostTurns = turns,
): Promise<void> {
	using project = new TestProject();
	const pick = random(seed);
	const changer = new Changer(project, pick);
	for (let made = 0; made < 40; made++) changer.change();
	prepare(project);
	for (let made = 0; made < 5; made++) changer.change();
	const states = new Map<string, Map<string, string>>();
	let entries = 0;
	const turn = async (): Promise<void> => {
		const id = project.log.add(`entry-${entries++}`);
		await project.recorder.commandStarting(id);
		states.set(id, project.snapshot());
		for (let left = pick(6); left >= 0; left--) changer.change();
		await project.recorder.commandEnded(id);
	};
	await turn();
	for (let done = 0; done < count; done++) {
		if (entries < mostTurns && pick(5) === 0) await turn();
		const ids = [...states.keys()];
		const id = ids[pick(ids.length)] ?? "";
		await project.rewind(id);
		const [now, then] = [project.snapshot(), states.get(id)];
		// Comparing texts is a hundred times faster than comparing maps.
		if (textOf(now) !== textOf(then))
			expect({ seed, done, id, now, notices: project.notices }).toEqual({
				seed,
				done,
				id,
				now: then ?? new Map(),
				notices: [],
			});
	}
	if (count === rewinds) expect(entries).toBeGreaterThan(mostTurns / 2);
}

function textOf(state: ReadonlyMap<string, string> | undefined): string {
	return [...(state ?? [])]
		.map(([path, image]) => `${path} ${image}`)
		.toSorted()
		.join("\n");
}
