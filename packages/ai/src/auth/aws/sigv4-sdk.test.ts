/** The official SDK signs a request to Bedrock exactly as we do. */
import { BedrockRuntimeClient, ConverseStreamCommand } from "@aws-sdk/client-bedrock-runtime";
import { expect, test } from "bun:test";

import { signatureHeaders } from "./sigv4.ts";

interface SignedRequest {
	method: string;
	path: string;
	headers: Record<string, string>;
	body: string | Uint8Array;
}

const keys = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" };

/** The request that the SDK would send. */
async function signedBySdk(modelId: string, sessionToken?: string): Promise<SignedRequest> {
	const { promise: sent, resolve } = Promise.withResolvers<SignedRequest>();
	const client = new BedrockRuntimeClient({
		region: "eu-central-1",
		maxAttempts: 1,
		credentials: { ...keys, ...(sessionToken ? { sessionToken } : {}) },
		requestHandler: {
			metadata: { handlerProtocol: "http/1.1" },
			handle: async (request: SignedRequest) => {
				resolve(request);
				return { response: { statusCode: 500, headers: {}, body: new Response("").body } };
			},
		},
	});
	const messages = [{ role: "user" as const, content: [{ text: "höre 你好" }] }];
	// The answer is irrelevant, and it is an error.
	await client.send(new ConverseStreamCommand({ modelId, messages })).catch(() => undefined);
	return sent;
}

test.each([
	["vendor.model-20250514-v1:0", undefined],
	["us.vendor.model-v1:0", "a/session+token=="],
	["arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/a1b2c3", undefined],
])("%s (session token: %p)", async (modelId, sessionToken) => {
	const { method, path, headers, body } = await signedBySdk(modelId, sessionToken);
	const names = /SignedHeaders=([^,]+)/.exec(headers["authorization"] ?? "")?.[1]?.split(";") ?? [];
	const time = headers["x-amz-date"] ?? "";
	const now = new Date(time.replace(/^(....)(..)(..T..)(..)(..Z)$/, "$1-$2-$3:$4:$5"));
	const ours = signatureHeaders(
		{
			method,
			path,
			headers: Object.fromEntries(names.map((name) => [name, headers[name] ?? ""])),
			body: typeof body === "string" ? body : Buffer.from(body).toString(),
		},
		{
			credentials: { ...keys, ...(sessionToken ? { sessionToken } : {}) },
			region: "eu-central-1",
			service: "bedrock",
			now,
		},
	);
	expect(ours["authorization"]).toBe(headers["authorization"] ?? "");
	expect(ours["x-amz-date"]).toBe(time);
});
