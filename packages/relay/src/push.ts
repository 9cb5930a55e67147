/** Forwards notifications of hosts to the push services of browsers; what they say is sealed for the browser (RFC 8291, RFC 8292). */
import { createECDH, createPrivateKey, sign } from "node:crypto";

import { parseShape, refined, shapes, UsageError } from "@tau/utils";

import type { Bucket } from "./buckets.ts";
import { limits } from "./limits.ts";
import type { Metrics } from "./metrics.ts";

export interface PushOptions {
	/** The private key that this relay is known by to push services: 32 bytes in base64url. All nodes have the same. */
	readonly key: string;
	/** Whom a push service may ask about this relay: `mailto:…` or an address of the web. */
	readonly contact: string;
	/** Which addresses are push services; those of the browsers' makers unless a test has its own. */
	readonly isService?: (endpoint: URL) => boolean;
}

const services =
	/^(?:fcm\.googleapis\.com|android\.googleapis\.com|(?:[\w-]+\.)*push\.services\.mozilla\.com|(?:[\w-]+\.)*push\.apple\.com|[\w-]+\.notify\.windows\.com)$/;

const pushShape = shapes.object({
	endpoint: refined(shapes.string, URL.canParse, () => "expected an address"),
	ttl: shapes.optional(shapes.integer),
	urgency: shapes.optional(shapes.oneOf(["very-low", "low", "normal", "high"])),
	body: shapes.optional(shapes.string),
});

export class PushForwarder {
	/** What browsers subscribe with. */
	readonly publicKey: string;
	readonly #options: PushOptions;
	readonly #metrics: Metrics;
	readonly #key: ReturnType<typeof createPrivateKey>;
	#running = 0;

	constructor(options: PushOptions, metrics: Metrics) {
		this.#options = options;
		this.#metrics = metrics;
		const secret = Buffer.from(options.key, "base64url");
		if (secret.length !== 32)
			throw new UsageError(
				"TAU_RELAY_VAPID is no key of 32 bytes in base64url: openssl rand -base64 32 | tr +/ -_ | tr -d =",
			);
		const curve = createECDH("prime256v1");
		curve.setPrivateKey(secret);
		const point = curve.getPublicKey();
		this.publicKey = point.toString("base64url");
		const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString("base64url"));
		this.#key = createPrivateKey({
			key: { kty: "EC", crv: "P-256", d: secret.toString("base64url"), x: x ?? "", y: y ?? "" },
			format: "jwk",
		});
	}

	/** The status of the push service: 404 and 410 mean that the browser has unsubscribed, 0 that it could not be reached. */
	async forward(
		message: Record<string, unknown>,
		allowance: Bucket,
	): Promise<{ endpoint: string; status: number }> {
		const result = parseShape(pushShape, message);
		if (!result.ok) return { endpoint: "", status: 400 };
		const { endpoint, body = "", ttl = 60, urgency = "normal" } = result.value;
		const sealed = Buffer.from(body, "base64url");
		// Only push services: a host must not use the relay to reach other addresses.
		if (!this.#isService(new URL(endpoint)) || sealed.length > limits.push.bodyBytes)
			return { endpoint, status: 400 };
		if (this.#running >= limits.push.concurrent || !allowance.take()) return { endpoint, status: 429 };
		const headers = {
			authorization: `vapid t=${this.#token(new URL(endpoint).origin)}, k=${this.publicKey}`,
			ttl: String(Math.min(Math.max(0, ttl), limits.push.maxTtlSeconds)),
			urgency,
			...(sealed.length > 0 && { "content-encoding": "aes128gcm" }),
		};
		this.#running++;
		const signal = AbortSignal.timeout(limits.push.timeoutMs);
		const request = { method: "POST", headers, body: sealed, redirect: "manual", signal } as const;
		// The host decides whether to try again.
		const status = await fetch(endpoint, request).then(
			(answer) => answer.status,
			() => 0,
		);
		this.#running--;
		if (status > 0) this.#metrics.add("pushes");
		return { endpoint, status };
	}

	#isService(endpoint: URL): boolean {
		const { isService } = this.#options;
		return isService
			? isService(endpoint)
			: endpoint.protocol === "https:" && endpoint.port === "" && services.test(endpoint.hostname);
	}

	#token(audience: string): string {
		const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
		const exp = Math.floor(Date.now() / 1000) + limits.push.tokenSeconds;
		const claims = `${part({ typ: "JWT", alg: "ES256" })}.${part({ aud: audience, exp, sub: this.#options.contact })}`;
		const signature = sign("sha256", Buffer.from(claims), { key: this.#key, dsaEncoding: "ieee-p1363" });
		return `${claims}.${signature.toString("base64url")}`;
	}
}
