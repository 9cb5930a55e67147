/** Checks how OpenAI's SDK reads its vendor's errors, which are the same in both protocols. */
import type { Scenario } from "@tau/ai/testing";
import { expect, test } from "bun:test";
import {
	APIError,
	AuthenticationError,
	BadRequestError,
	InternalServerError,
	NotFoundError,
	PermissionDeniedError,
	RateLimitError,
} from "openai";
import { promiseBrokenEvents, promiseTornFailure, type Listener } from "./broken-streams.ts";
import { catchFrom } from "./samples.ts";

interface Sdk extends AsyncDisposable {
	streamed(): Promise<unknown>;
	whole(): Promise<unknown>;
}

export function promiseOpenaiErrors<S extends Sdk>(listener: Listener<S>, tornAtByte: number): void {
	promiseVendorErrors((scenario) => listener.connect(scenario));
	promiseTornFailure(listener, tornAtByte);
	const errorEvent = { type: "server_error", message: "The server had an error" };
	promiseBrokenEvents(listener, { errorEvent, error: { type: APIError, fields: errorEvent } });
}

function promiseVendorErrors(connect: (scenario: Scenario) => Promise<Sdk>): void {
	test.each([
		[{ http: 400 }, BadRequestError, "invalid_value"],
		[{ http: 401 }, AuthenticationError, "invalid_api_key"],
		[{ http: 403 }, PermissionDeniedError, null],
		[{ http: 404 }, NotFoundError, "model_not_found"],
		[{ http: 413 }, APIError, "request_too_large"],
		[{ http: 429, retryAfter: 7 }, RateLimitError, "rate_limit_exceeded"],
		[{ http: 500 }, InternalServerError, null],
		[{ http: 503 }, InternalServerError, "server_overloaded"],
		[{ http: 529 }, InternalServerError, "server_overloaded"],
		[{ overflow: true }, BadRequestError, "context_length_exceeded"],
	] as const)("the fault %j is heard as the vendor's own error", async (fault, type, code) => {
		await using sdk = await connect({ steps: [{ fault, times: 2 }] });
		for (const error of [await catchFrom(sdk.streamed()), await catchFrom(sdk.whole())]) {
			expect(error).toBeInstanceOf(type);
			if (!(error instanceof APIError)) throw error;
			expect(error).toMatchObject({ status: "http" in fault ? fault.http : 400, code });
			expect(error.requestID).toStartWith("req_");
			expect(error.headers?.get("retry-after")).toBe("retryAfter" in fault ? "7" : null);
		}
	});
}
