/** After any schedule of joining, breaking off, slow reading, moves, branches and compactions a replica is the session. */
import { expect, test } from "bun:test";

import { playModel } from "@tau/ai/testing";
import * as fc from "fast-check";

import { samples } from "../../../../../test/support/depth.ts";
import { FarClient } from "../../../../../test/support/far-client.ts";
import { testHost } from "../../../../../test/support/host.ts";
import { testModel } from "../../../../../test/support/session.ts";
import { SessionManager } from "@tau/log";
import type { SessionHost } from "../session-host.ts";
import { factsOfSession } from "./facts.ts";

const steps = [
	"prompt",
	"prompt",
	"prompt and go on",
	"steer",
	"stop",
	"label",
	"name",
	"tools",
	"setting",
	"shell",
	"large",
	"new",
	"reload",
	"branch",
	"clone",
	"compact",
	"notice",
	"ask",
	"answer",
	"idle",
] as const;

const clientSteps = ["join", "break", "come back", "stick", "read", "leave"] as const;

const schedule = fc.array(
	fc.oneof(
		{ weight: 3, arbitrary: fc.constantFrom(...steps).map((step) => ({ step })) },
		{
			weight: 2,
			arbitrary: fc.record({ client: fc.integer({ min: 0, max: 2 }), does: fc.constantFrom(...clientSteps) }),
		},
	),
	{ minLength: 3, maxLength: 25 },
);

async function act(host: SessionHost, step: (typeof steps)[number], at: number): Promise<void> {
	const { log } = host;
	const leaf = log.getLeafId();
	switch (step) {
		case "prompt":
			await host.submit({ text: `prompt ${at}` }, { as: "followUp" });
			return host.waitForIdle();
		case "prompt and go on":
			return void (await host.submit({ text: `prompt ${at}` }, { as: "followUp" }));
		case "steer":
			return void (await host.submit({ text: `steer ${at}` }, { as: "steer" }));
		case "stop":
			return host.stop();
		case "label":
			if (leaf !== null) await host.apply({ type: "label", entryId: leaf, label: `label ${at}` });
			return;
		case "name":
			return void (await host.apply({ type: "name", name: `name ${at}` }));
		case "tools":
			return void (await host.apply({ type: "tools", layer: "user", hidden: [`tool${at}`] }));
		case "setting":
			return void (await host.apply({
				type: "setting",
				path: "steeringMode",
				value: at % 2 ? "all" : "one-at-a-time",
			}));
		case "shell":
			return void (await host.shell(`echo ${at}`));
		case "large":
			return host.record({ role: "user", content: "large ".repeat(80_000), timestamp: at });
		case "new":
			return void (await host.move({ to: "new" }));
		case "reload":
			return void (await host.move({ to: "reload" }));
		case "branch": {
			const path = log.getBranchHeads();
			const to = path[Math.floor(path.length / 2)];
			if (to) await host.move({ to: "branch", change: () => log.branch(to.id) });
			return;
		}
		case "clone":
			if (leaf !== null) await host.move({ to: "fork", position: "at" });
			return;
		case "compact":
			return void (await host.compact().catch(() => {}));
		case "notice":
			return host.notice(`notice ${at}`);
		case "ask":
			void host.requests.ask("dialog", { dialog: { method: "input", title: `question ${at}` } });
			return;
		case "answer": {
			const [request] = host.requests.pending;
			if (request) host.answer(request.id, { value: "yes" });
			return;
		}
		case "idle":
			return host.waitForIdle();
	}
}

function follow(
	host: SessionHost,
	clients: (FarClient | undefined)[],
	index: number,
	does: (typeof clientSteps)[number],
): void {
	const client = clients[index];
	if (!client) {
		clients[index] = new FarClient(host, { name: `client ${index}`, kinds: ["dialog"] });
		return;
	}
	if (does === "break") client.leave();
	else if (does === "come back" || does === "join") client.join();
	else if (does === "stick") client.isStuck = true;
	else if (does === "read") client.read();
	else {
		client.leave();
		clients[index] = undefined;
	}
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test("a replica is the session, entry for entry", async () => {
	await fc.assert(
		fc.asyncProperty(schedule, async (actions) => {
			await using played = await playModel({
				steps: [
					{
						answer: { blocks: [{ thinking: "hm" }, { text: "An answer in parts.", chunks: 5 }] },
						times: 200,
					},
				],
			});
			await using host = await testHost(testModel({ baseUrl: played.anthropicUrl }), {
				log: SessionManager.inMemory("/"),
			});
			const clients: (FarClient | undefined)[] = [];
			for (const [at, action] of actions.entries()) {
				if ("step" in action) await act(host, action.step, at);
				else follow(host, clients, action.client, action.does);
			}
			await host.waitForIdle();
			// One that was there all the time, and one that joins at the end.
			clients.push(new FarClient(host));
			for (const client of clients) {
				if (!client) continue;
				client.read();
				client.join();
			}
			// The last batch is numbered, and everybody has read it.
			await host.notice("the end");
			await Bun.sleep(5);
			const branch = host.log.getBranch();
			for (const client of clients) {
				if (!client) continue;
				const { facts, tail, live } = client.replica;
				expect(plain(facts)).toEqual(plain(factsOfSession(host)));
				expect(plain(live.state())).toEqual(plain(host.clients.live?.state()));
				expect(tail.leafId).toBe(host.log.getLeafId());
				expect(tail.earlier + tail.entries.length).toBe(branch.length);
				expect(plain(tail.entries)).toEqual(plain(branch.slice(tail.earlier)));
			}
			for (const client of clients) client?.[Symbol.dispose]();
		}),
		{ numRuns: samples(400, 40) },
	);
});
