/** Two nodes of a gateway share a Redis: keys, limits, budgets and resting credentials are the same on both. */
import { playModel } from "@tau/ai/testing";
import { Keys, readRights, RedisLedger } from "@tau/gateway";
import { RedisClient } from "bun";
import { expect } from "bun:test";

import { needs } from "../support/needs.ts";
import { TestRedis } from "../support/relay/redis.ts";
import { serveGateway, type ServedGateway } from "./gateway.ts";

const test = needs("redis-server");

async function ask(served: ServedGateway, key: string, max = 9): Promise<Response> {
	const response = await begin(served, key, { max_tokens: max, stream: false });
	await response.clone().text();
	return response;
}

/** A stream unless `more` says otherwise. */
async function begin({ url }: ServedGateway, key: string, more: object = {}): Promise<Response> {
	const messages = [{ role: "user", content: "hi" }];
	return await fetch(`${url}/v1/messages`, {
		method: "POST",
		headers: { "x-api-key": key },
		body: JSON.stringify({ model: "played-messages", max_tokens: 9, stream: true, messages, ...more }),
	});
}

test("keys, budgets and rests of credentials hold on all nodes, and nothing passes uncounted", async () => {
	await using redis = await TestRedis.start();
	const answer = { answer: { blocks: [{ text: "ok" }], usage: { input: 1_000_000, output: 0 } } };
	await using played = await playModel({ steps: [], fallback: answer });
	await using ledgers = new AsyncDisposableStack();
	const [first, second] = [new RedisLedger(redis.url), new RedisLedger(redis.url)].map((each) =>
		ledgers.use(each),
	);
	if (!first || !second) throw new Error("no ledgers");
	await using one = await serveGateway({ steps: [] }, { played, ledger: first, keys: ["a", "b"] });
	await using two = await serveGateway({ steps: [] }, { played, ledger: second, keys: ["a", "b"] });
	const keys = new Keys(first);

	const { key, row } = await keys.create(readRights({ budget: "5/day" }));
	expect([(await ask(one, key)).status, (await ask(two, key)).status]).toEqual([200, 200]);
	// Three dollars each: the budget is used up on both.
	expect([(await ask(one, key)).status, (await ask(two, key)).status]).toEqual([429, 429]);
	expect((await keys.usage(row.id)).today).toMatchObject({ input: 2_000_000, cost: 6 });

	const free = await keys.create(readRights({}));
	played.setScenario({ steps: [{ fault: { http: 429, retryAfter: 60 } }], fallback: answer });
	expect((await ask(one, free.key)).status).toBe(200);
	expect((await ask(two, free.key)).status).toBe(200);
	expect(played.requests.at(-1)?.headers["x-api-key"]).toBe("b");

	await keys.revoke(free.row.id);
	expect((await ask(two, free.key)).status).toBe(401);

	await redis[Symbol.asyncDispose]();
	expect((await ask(two, key)).status).toBe(503);
});

test("what was used while Redis was away counts when it is back", async () => {
	await using redis = await TestRedis.start({ isKept: true });
	await using ledger = new RedisLedger(redis.url);
	const usage = { input: 1_000_000, output: 0 };
	const slow = { answer: { blocks: [{ text: "word ".repeat(20), chunks: 20 }], usage, delayMs: 20 } };
	await using served = await serveGateway({ steps: [slow, slow] }, { ledger });
	const keys = new Keys(ledger);
	const { key, row } = await keys.create(readRights({ budget: "5/day" }));
	const answers = await Promise.all([key, "token"].map((each) => begin(served, each)));
	await redis.kill();
	await Promise.all(answers.map((each) => each.text()));
	const refused = await begin(served, key);
	expect([refused.status, await refused.json()]).toEqual([
		503,
		expect.objectContaining({ error: expect.objectContaining({ type: "overloaded_error" }) }),
	]);
	await redis.run();
	const costOf = async (id: string) => (await keys.usage(id).catch(() => undefined))?.today.cost ?? 0;
	for (const id of [row.id, "owner"]) while ((await costOf(id)) < 3) await Bun.sleep(20);
	expect([await costOf(row.id), await costOf("owner")]).toEqual([3, 3]);
}, 30_000);

test("a Redis that was away for longer than its client tries is found again", async () => {
	await using redis = await TestRedis.start({ isUnix: true });
	await using ledger = new RedisLedger(redis.url);
	await using served = await serveGateway({ steps: [], fallback: "ok" }, { ledger });
	const unknown = `sk-tau-abc-${"x".repeat(43)}`;
	expect((await begin(served, unknown)).status).toBe(401);
	const usual = new RedisClient(redis.url);
	await usual.connect();
	const gaveUp = Promise.withResolvers<void>();
	Object.assign(usual, { onclose: () => gaveUp.resolve() });
	await redis.kill();
	await gaveUp.promise;
	await redis.run();
	while ((await begin(served, unknown)).status === 503) await Bun.sleep(20);
}, 90_000);

test("a budget is not passed by requests to both nodes at once", async () => {
	await using redis = await TestRedis.start();
	// Each costs 30 cents, and might cost 96.
	const answer = { answer: { blocks: [{ text: "ok" }], usage: { input: 100_000, output: 0 } } };
	await using played = await playModel({ steps: [], fallback: answer });
	await using ledgers = new AsyncDisposableStack();
	const nodes = await Promise.all(
		[1, 2].map(async () =>
			ledgers.use(
				await serveGateway({ steps: [] }, { played, ledger: ledgers.use(new RedisLedger(redis.url)) }),
			),
		),
	);
	const keys = new Keys(ledgers.use(new RedisLedger(redis.url)));
	const { key, row } = await keys.create(readRights({ budget: "2/day" }));
	const asking = Array.from({ length: 60 }, (_, at) => {
		const node = nodes[at % nodes.length];
		if (!node) throw new Error("no node");
		return ask(node, key, 64_000);
	});
	const statuses = new Set((await Promise.all(asking)).map(({ status }) => status));
	expect([...statuses].toSorted()).toEqual([200, 429]);
	expect((await keys.usage(row.id)).today.cost).toBeLessThanOrEqual(2.3);
});
