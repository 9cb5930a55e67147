/** Renews tokens before they end, so that clients always find a fresh one. */
import { CredentialError } from "@tau/ai";
import { log } from "@tau/utils";

import type { Custody } from "./custody.ts";
import { limits } from "./limits.ts";

export class Refresher implements Disposable {
	readonly #custody: Custody;
	readonly #now: () => number;
	readonly #timer: NodeJS.Timeout;
	#sweeping: Promise<void> | undefined;
	#nextAt: number;

	constructor(custody: Custody, now: () => number) {
		this.#custody = custody;
		this.#now = now;
		this.#nextAt = now() + limits.sweepMs;
		this.#timer = setInterval(() => {
			void this.sweep();
		}, limits.sweepMs);
	}

	/** Between 0 and the interval, also when the clock was set. */
	get nextSweepInMs(): number {
		return Math.min(Math.max(0, this.#nextAt - this.#now()), limits.sweepMs);
	}

	/** One at a time: a slow server does not make renewals pile up. Never rejects. */
	sweep(): Promise<void> {
		this.#nextAt = this.#now() + limits.sweepMs;
		this.#sweeping ??= this.#renewDue().finally(() => (this.#sweeping = undefined));
		return this.#sweeping;
	}

	[Symbol.dispose](): void {
		clearInterval(this.#timer);
	}

	async #renewDue(): Promise<void> {
		try {
			const due = this.#custody.logins().filter((login) => this.#custody.isDue(login));
			await Promise.all(
				due.map(async (login) => {
					try {
						await this.#custody.renew(login);
						log.info("a token was renewed", { provider: login.provider });
					} catch (error) {
						if (!(error instanceof CredentialError)) throw error;
						log.warn("a token was not renewed", { provider: login.provider, reason: error.message });
					}
				}),
			);
		} catch (error) {
			// The database is locked or the disk is full: the next sweep tries again.
			log.error("tokens were not renewed", { reason: String(error) });
		}
	}
}
