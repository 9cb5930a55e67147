/** `/collab omp` and `tau join omp`: omp's dialect between two real programs and a relay; the real omp is in `npm run third-party`. */
import { expect, test } from "bun:test";

import { guest, linkOn, share } from "./room.ts";

test("a guest reads and prompts through a room of omp, and leaves when its link is revoked", async () => {
	await using shared = await share({ steps: ["The first answer.", "An answer to Ann."] });
	const { host } = shared;
	host.type("before anybody came\r");
	await host.until("The first answer.");
	host.type("/collab omp\r");
	await host.until("omp's rooms are weaker");
	await using ann = await guest(`omp ${linkOn(host, "omp")}`, { name: "Ann" });
	await ann.until("The first answer.");
	await host.until("Ann joined the collab session");
	ann.type("a question of Ann\r");
	await ann.until("An answer to Ann.");
	await host.until("from Ann");
	ann.type("/model\r");
	await ann.until("host-only");
	host.type("/collab omp view\r");
	await using eve = await guest(`omp ${await viewLink()}`, { name: "Eve" });
	await eve.until("An answer to Ann.");
	await host.until("Eve joined the collab session (read-only)");
	eve.type("may I\r");
	await eve.until("read-only");
	host.type("/collab status\r");
	await host.until("omp view");
	host.type("/collab revoke omp\r");
	expect(await ann.exited).not.toBe(0);
	expect(ann.scrollback()).toContain("Collab session ended (The host has revoked this link.)");
	expect(await eve.exited).not.toBe(0);

	/** The key of a link to look is shorter. */
	async function viewLink(): Promise<string> {
		const deadline = Date.now() + 60_000;
		for (;;) {
			const link = linkOn(host, "omp");
			if ((link.split("#")[1]?.length ?? 64) < 60) return link;
			if (Date.now() > deadline) throw new Error(host.screen());
			await Bun.sleep(20);
		}
	}
});
