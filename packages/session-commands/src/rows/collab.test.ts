/** `/collab` says what it made, and makes what was asked for: a bound that it did not understand would let everybody in. */
import { expect, test } from "bun:test";

import type { CollabControl, CollabLink, CollabStatus, WantedLink } from "../collab-control.ts";
import type { CommandTarget } from "../command.ts";
import { collab } from "./collab.ts";

/** A session that is shared; what was asked of it is kept. */
function shared(relay = "wss://relay") {
	const links: CollabLink[] = [];
	const wanted: WantedLink[] = [];
	const invite = async (link: WantedLink): Promise<CollabLink> => {
		wanted.push(link);
		const made = { ...link, link: `relay/r/room#${link.name}`, used: 0 };
		links.push(made);
		return made;
	};
	const status: CollabStatus = { relay, trouble: "", links, guests: [] };
	const control: Partial<CollabControl> = { status, hasRelay: true, invite };
	const target = { collab: async () => control, progress: () => {} } as unknown as CommandTarget;
	const run = async (args: string): Promise<string> => (await collab.run(args, target)).text ?? "";
	return { wanted, run };
}

const hour = 3_600_000;

test.each([
	["approve Ann for 2h uses 1", { name: "Ann", right: "approve", uses: 1 }, 2 * hour],
	["approve Ann uses 1 for 2h", { name: "Ann", right: "approve", uses: 1 }, 2 * hour],
	["view the team for 30m", { name: "the team", right: "view" }, hour / 2],
	["comment all for dinner", { name: "all for dinner", right: "comment" }, undefined],
	["prompt Bob uses 12", { name: "Bob", right: "prompt", uses: 12 }, undefined],
] as const)("/collab link %s", async (args, link, ms) => {
	const { wanted, run } = shared();
	const before = Date.now();
	await run(`link ${args}`);
	const [made] = wanted;
	const { expiresAt, ...rest } = made ?? {};
	expect(rest).toEqual(link);
	if (ms === undefined) expect(expiresAt).toBeUndefined();
	else expect((expiresAt ?? 0) - before - ms).toBeLessThan(60_000);
});

test.each([
	"approve Ann for 2 hours",
	"approve Ann for 2hours uses 1",
	"approve Ann uses 1 only",
	"approve Ann uses 0",
	"approve Ann uses 2000",
	"approve Ann for 0m",
	"approve Ann for 900d",
	"everything Ann",
	"",
])("a bound or a right that is not understood makes no link: /collab link %s", async (args) => {
	const { wanted, run } = shared();
	expect(run(`link ${args}`)).rejects.toThrow("Usage: /collab link");
	expect(wanted).toEqual([]);
});

test("the link that /collab view prints is to view, whatever other links are called", async () => {
	const { wanted, run } = shared();
	for (const name of ["view", "prompt", "omp"])
		expect(run(`link approve ${name}`)).rejects.toThrow("Choose another name.");
	expect(await run("view")).toContain("can read the whole session.");
	expect(await run("view")).toContain("relay/r/room#view");
	expect(wanted).toEqual([{ name: "view", right: "view" }]);
});

test.each(["revoke", "remove"])("/collab %s without a name says how to use it", async (word) => {
	expect(shared().run(word)).rejects.toThrow(`Usage: /collab ${word} <`);
});

test.each([
	["view Team for 2h uses 3", /It ends on .+ or after 3 guests\. \/collab revoke Team ends it at once\./],
	["approve Ann uses 1", /It ends after 1 guest\. \/collab revoke Ann ends it/],
	["view", /\n\/collab revoke view \w{4} ends it/],
])("/collab link %s says when it ends, and how to end it", async (args, words) => {
	expect(await shared().run(`link ${args}`)).toMatch(words);
});

test("the code of a link that no phone can open says so", async () => {
	const words = "A phone cannot reach a relay of this machine alone";
	expect(await shared("ws://localhost:7475").run("qr")).toContain(words);
	expect(await shared().run("qr")).not.toContain(words);
});
