/** A stored key that a server rejects: extensions get one event, without the secret. */
import { expect, test } from "bun:test";

import { playModel } from "@tau/ai/testing";

import { extensionFixtureWith } from "../../../../test/support/extensions.ts";

test("credential_disabled: emitted once for a rejected key, without the key", async () => {
	await using fixture = await extensionFixtureWith(playModel)(
		{ steps: [] },
		{
			files: {
				"a.ts": `export default (pi) => pi.on("credential_disabled", (event, ctx) => ctx.ui.notify(JSON.stringify(event)));`,
			},
		},
	);
	const { id } = await fixture.credentials.add("played", { kind: "api_key", access: "sk-very-secret-key" });
	const refuse = (): void =>
		fixture.credentials.report("played", id, { kind: "auth", status: 401, reason: "key revoked" });
	refuse();
	refuse();
	await fixture.until("credential_disabled");
	refuse();
	expect(fixture.shown).toHaveLength(1);
	expect(fixture.shown[0]).toContain("key revoked");
	expect(fixture.shown[0]).not.toContain("sk-very-secret-key");
});
