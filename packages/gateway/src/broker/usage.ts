/** What is left of the subscriptions: asked of their vendors seldom, and for all clients together. */
import { fetchQuota, quotaProviders } from "@tau/ai";
import { toReport, type StoredCredential, type UsageReport } from "@tau/ai/broker";
import { log, type Env } from "@tau/utils";

import type { Custody } from "./custody.ts";
import { limits } from "./limits.ts";
import type { UsageRecords } from "./usage-records.ts";

export interface UsageParts {
	custody: Custody;
	records: UsageRecords;
	env: Env;
	now(): number;
}

interface Known {
	report: UsageReport | undefined;
	/** When the vendor is asked again. */
	until: number;
}

export class UsageReports {
	readonly #parts: UsageParts;
	/** By the id of the credential. */
	readonly #known = new Map<string, Known>();
	readonly #asking = new Map<string, Promise<UsageReport | undefined>>();

	constructor(parts: UsageParts) {
		this.#parts = parts;
	}

	/** Of all logins whose vendors report limits; one that does not answer has its last figures, for a day. */
	async all(signal: AbortSignal): Promise<UsageReport[]> {
		const logins = this.#parts.custody.logins().filter(({ provider }) => quotaProviders.includes(provider));
		const ids = new Set(logins.map(({ id }) => id));
		for (const id of this.#known.keys()) if (!ids.has(id)) this.#known.delete(id);
		const reports = await Promise.all(logins.map((login) => this.#of(login, signal)));
		return reports.filter((report) => report !== undefined);
	}

	/** The next question goes to the vendors. */
	forget(): void {
		for (const known of this.#known.values()) known.until = 0;
	}

	#of(login: StoredCredential, signal: AbortSignal): Promise<UsageReport | undefined> {
		const known = this.#known.get(login.id);
		const now = this.#parts.now();
		// A clock that was set back does not make the figures last longer.
		const left = known === undefined ? 0 : known.until - now;
		if (known && left > 0 && left <= limits.usageMs * (1 + limits.usageJitter))
			return Promise.resolve(known.report);
		const asking = this.#asking.get(login.id);
		if (asking) return asking;
		const answer = this.#ask(login, known?.report, signal).finally(() => this.#asking.delete(login.id));
		this.#asking.set(login.id, answer);
		return answer;
	}

	async #ask(
		login: StoredCredential,
		last: UsageReport | undefined,
		signal: AbortSignal,
	): Promise<UsageReport | undefined> {
		const { custody, records, env, now } = this.#parts;
		const { id, provider, account } = login;
		try {
			const { access } = custody.isDue(login) ? await custody.renew(login) : login;
			const quota = await fetchQuota(provider, access, { signal, env });
			const report = toReport(provider, quota, now(), account);
			records.record(report);
			// Several credentials drift apart, so that one address does not ask for all of them at once.
			const jitter = 1 + limits.usageJitter * (2 * Math.random() - 1);
			this.#known.set(id, { report, until: now() + limits.usageMs * jitter });
			return report;
		} catch (error) {
			const reason = error instanceof Error ? error.message : String(error);
			log.warn("a vendor did not report usage", { provider, reason });
			const report = last && now() - last.fetchedAt < limits.usageGoodMs ? last : undefined;
			this.#known.set(id, { report, until: now() + limits.usageRetryMs });
			return report;
		}
	}
}
