/** The login with a code that is typed in elsewhere (RFC 8628): for machines without a browser. */
import { isObject, string, type Json } from "../../json.ts";
import { limits } from "../limits.ts";
import type { DeviceCode, OAuthFlow } from "./flow.ts";
import type { LoginInteraction } from "./interaction.ts";
import { OAuthError } from "./oauth-error.ts";
import { ask, post, send, succeed } from "./request.ts";

export interface Clock {
	now(): number;
	wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** Returns the answer of the token endpoint. */
export async function authorizeOnDevice(
	flow: OAuthFlow,
	grant: DeviceCode,
	interaction: LoginInteraction,
	signal: AbortSignal,
	clock: Clock,
): Promise<Json> {
	const client = flow.clientId === undefined ? {} : { client_id: flow.clientId };
	const scope = flow.scopes.length > 0 ? { scope: flow.scopes.join(" ") } : {};
	const device = await ask(flow, grant.deviceUrl, { ...client, ...scope }, signal);
	const code = string(device.device_code);
	const userCode = string(device.user_code);
	const place = string(device.verification_uri_complete) || string(device.verification_uri);
	if (code === "" || userCode === "" || !isWebAddress(place)) {
		throw new OAuthError("malformed", `${flow.label}: the response contains no code to enter`);
	}
	interaction.show({ kind: "device", url: place, code: userCode });
	const lifetime = Math.min(milliseconds(device.expires_in) ?? limits.deviceCodeMs, limits.deviceCodeMs);
	return poll(
		flow,
		{ grant_type: "urn:ietf:params:oauth:grant-type:device_code", ...client, device_code: code },
		{ interval: milliseconds(device.interval) ?? limits.devicePollMs, deadline: clock.now() + lifetime },
		signal,
		clock,
	);
}

async function poll(
	flow: OAuthFlow,
	parameters: Record<string, string>,
	pace: { interval: number; deadline: number },
	signal: AbortSignal,
	clock: Clock,
): Promise<Json> {
	let { interval } = pace;
	while (clock.now() < pace.deadline) {
		await clock.wait(Math.min(Math.max(interval, limits.devicePollFloorMs), limits.devicePollMaxMs), signal);
		const answer = await send(flow.tokenUrl, post(flow, parameters), signal).catch((error: unknown) => {
			// The user may be typing the code right now: after a server error the request is repeated, more slowly.
			if (error instanceof OAuthError && error.problem === "network") return undefined;
			throw error;
		});
		if (answer?.error === "authorization_pending") continue;
		if (!answer || answer.error === "slow_down" || answer.status >= 500) {
			interval =
				(isObject(answer?.body) ? milliseconds(answer.body.interval) : undefined) ??
				interval + limits.slowDownMs;
			continue;
		}
		return succeed(flow.tokenUrl, answer);
	}
	throw new OAuthError("expired", `${flow.label}: the code expired before it was entered.`);
}

/** The address is opened with the system's handler: only web addresses are allowed. */
function isWebAddress(address: string): boolean {
	return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
}

/** A valid number of seconds, in milliseconds. */
function milliseconds(value: unknown): number | undefined {
	const seconds = Number(value);
	return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : undefined;
}
