/** Messages that no client sent reach the session that they belong to, and no other. */
import { expect, test } from "bun:test";

import { Deliveries } from "./deliveries.ts";
import { limits } from "./limits.ts";
import type { SessionHost } from "./session-host.ts";

type Host = ConstructorParameters<typeof Deliveries>[0];

function fakeHost(phase: SessionHost["phase"]): { host: Host; submitted: string[]; recorded: number } {
	const facts = {
		submitted: [] as string[],
		recorded: 0,
		host: {
			phase,
			session: { settled: async () => {} },
			settings: { get: () => true },
			submit: async ({ text }: { text: string }) => void facts.submitted.push(text),
			record: () => void facts.recorded++,
			notice: async () => {},
		} as unknown as Host,
	};
	return facts;
}

const delivery = { text: "job 1 finished: exit code 0 (x)", customType: "job", wakes: true };

test.each([["moving"], ["closed"]] as const)("a session that is %s hears of no job", async (phase) => {
	const facts = fakeHost(phase);
	await new Deliveries(facts.host, true).deliver(delivery);
	expect(facts).toMatchObject({ submitted: [], recorded: 0 });
});

test("a message for a session that was left meanwhile is dropped", async () => {
	const facts = fakeHost("idle");
	const delivering = new Deliveries(facts.host, true).deliver(delivery);
	Object.assign(facts.host, { session: {} });
	await delivering;
	expect(facts).toMatchObject({ submitted: [], recorded: 0 });
});

test("jobs wake the model a limited number of times, until the user acts", async () => {
	const facts = fakeHost("idle");
	const deliveries = new Deliveries(facts.host, true);
	for (let at = 0; at < limits.wakeUps + 5; at++) await deliveries.deliver(delivery);
	expect(facts).toMatchObject({ recorded: 5 });
	expect(facts.submitted).toHaveLength(limits.wakeUps);
	deliveries.userActed();
	await deliveries.deliver(delivery);
	expect(facts.submitted).toHaveLength(limits.wakeUps + 1);
});
