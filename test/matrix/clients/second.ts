/** Clients beside the one that runs a session: what it does, they see by frames alone. */
import type { CreateAgentSessionResult } from "@tau/coding-agent";

import { FarClient } from "../../support/far-client.ts";
import type { Client, OpenOptions, SessionEventFrame } from "../client.ts";
import { sdk, SdkSession } from "./sdk.ts";

/** Attached from the start. */
export const second: Client = {
	name: "second",
	beside: "sdk",
	lacks: sdk.lacks,
	open: (home, options) => opened(new SecondSession(home), options),
};

/** Joins whenever the test looks, and has only what it finds then. */
export const late: Client = {
	name: "late",
	beside: "sdk",
	lacks: { ...sdk.lacks, events: "joins when it looks: it has what there is, not what led to it" },
	open: (home, options) => opened(new LateSession(home), options),
};

async function opened<T extends SdkSession>(session: T, options: OpenOptions | undefined): Promise<T> {
	await session.open(options);
	return session;
}

class SecondSession extends SdkSession {
	protected override follow({ session }: CreateAgentSessionResult): void {
		const far = new FarClient(session.host, { name: "second" });
		far.replica.subscribe((event) => void this.events.push(structuredClone(event) as SessionEventFrame));
	}
}

class LateSession extends SdkSession {
	#host: CreateAgentSessionResult["session"]["host"] | undefined;

	protected override follow({ session }: CreateAgentSessionResult): void {
		this.#host = session.host;
	}

	override shownText(): string {
		if (!this.#host) return "";
		using far = new FarClient(this.#host, { name: "late" });
		const { facts, tail, live } = far.replica;
		return JSON.stringify({ facts, tail, live: live.state() }) + this.notices.join("\n");
	}
}
