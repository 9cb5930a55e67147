/** The official client of Bedrock, over plain HTTP/1.1: its own handler would use HTTP/2 with a played model. */
import { BedrockRuntimeClient } from "@aws-sdk/client-bedrock-runtime";

/** A signed request of the SDK. */
interface SignedRequest {
	protocol: string;
	hostname: string;
	port?: number;
	path: string;
	method: string;
	headers: Record<string, string>;
	body?: string | Uint8Array<ArrayBuffer>;
}

export function bedrockClient(endpoint: string): BedrockRuntimeClient {
	return new BedrockRuntimeClient({
		endpoint,
		region: "us-east-1",
		maxAttempts: 1,
		credentials: { accessKeyId: "AKPLAYED", secretAccessKey: "secret" },
		requestHandler: { handle: send, metadata: { handlerProtocol: "http/1.1" } },
	});
}

async function send(
	request: SignedRequest,
	{ abortSignal }: { abortSignal?: AbortSignal } = {},
): Promise<object> {
	const { protocol, hostname, port, path, method, headers, body } = request;
	const response = await fetch(`${protocol}//${hostname}:${port}${path}`, {
		method,
		headers,
		...(body === undefined ? {} : { body }),
		...(abortSignal === undefined ? {} : { signal: abortSignal }),
	});
	return {
		response: { statusCode: response.status, headers: response.headers.toJSON(), body: response.body },
	};
}
