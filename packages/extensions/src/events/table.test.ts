/** An event that the protocol table marks for extensions reaches them without any other change. */
import { expect, test } from "bun:test";

import { playModel } from "@tau/ai/testing";
import type { SessionEvent } from "@tau/session";
import { events, extensionEventNames, printSchema } from "@tau/wire";

import { extensionFixtureWith } from "../../../../test/support/extensions.ts";

interface JsonSchema {
	$ref?: string;
	const?: unknown;
	enum?: unknown[];
	anyOf?: JsonSchema[];
	type?: string;
	items?: JsonSchema;
	properties?: Record<string, JsonSchema>;
	$defs?: Record<string, JsonSchema>;
}

const schema = printSchema() as JsonSchema;

/** A value that matches the schema, with every field. */
function sample(of: JsonSchema): unknown {
	if (of.$ref) return sample(schema.$defs?.[of.$ref.replace("#/$defs/", "")] ?? {});
	if (of.const !== undefined) return of.const;
	if (of.enum) return of.enum[0];
	if (of.anyOf?.[0]) return sample(of.anyOf[0]);
	if (of.type === "array") return [sample(of.items ?? {})];
	if (of.properties)
		return Object.fromEntries(Object.entries(of.properties).map(([name, field]) => [name, sample(field)]));
	return { string: "text", number: 1, boolean: true }[of.type ?? ""] ?? {};
}

function sampleEvent(name: string): SessionEvent {
	const row = schema.$defs?.Event?.anyOf?.find(({ properties }) => properties?.type?.const === name);
	return sample(row ?? {}) as SessionEvent;
}

/** The loop's own events are covered by a real run, in order.test.ts. */
const ofTheLoop = /^(?:agent|turn|message|tool)_/;
const names = Object.keys(events).filter((name) => !ofTheLoop.test(name));

const listener = `export default (pi) => {
	for (const name of ${JSON.stringify(names)}) pi.on(name, (event) => { (globalThis.heardRows ??= []).push(event); });
};`;

test("exactly the rows marked for extensions are delivered, unchanged", async () => {
	const emitted = names.map(sampleEvent);
	await using fixture = await extensionFixtureWith(playModel)(
		{ steps: [] },
		{ files: { "listener.ts": listener } },
	);
	for (const event of emitted) await fixture.session.emit(event);
	const received: unknown = Reflect.get(globalThis, "heardRows");
	Reflect.deleteProperty(globalThis, "heardRows");
	expect(received).toEqual(emitted.filter(({ type }) => extensionEventNames.has(type)));
	expect(emitted.length).toBeGreaterThan(20);
});
