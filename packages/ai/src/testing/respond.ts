/** Answers one model call by its scripted step, with the fault at its position. */

import type { Connection } from "./connection.ts";
import { limits } from "./limits.ts";
import type { Call, Piece, PlayedProtocol } from "./protocol.ts";
import type { Outlet } from "./response.ts";
import type { Fault } from "./scenario.ts";

export interface Performance {
	outlet: Outlet;
	protocol: PlayedProtocol;
	call: Call;
	streaming: boolean;
	requestId: string;
	fault?: Fault;
}

export async function respond(connection: Connection, performance: Performance): Promise<void> {
	const { fault, outlet, protocol, requestId, streaming } = performance;
	if (fault !== undefined) {
		if ("silent" in fault) return connection.pause();
		if ("http" in fault || "overflow" in fault) {
			return outlet.whole(protocol.error(fault, requestId));
		}
	}
	return streaming ? respondInPieces(connection, performance) : respondWhole(connection, performance);
}

async function respondInPieces(connection: Connection, performance: Performance): Promise<void> {
	const { call, fault, outlet, protocol, requestId } = performance;
	const headers = {
		"content-type": protocol.streamed?.contentType ?? "text/event-stream; charset=utf-8",
		"cache-control": "no-cache",
		...protocol.headers(requestId),
	};
	const torn = fault !== undefined && "tornAtByte" in fault ? fault.tornAtByte : undefined;
	const body = outlet.stream(headers, torn, protocol.streamed?.encoding);
	const truncated = fault !== undefined && "truncated" in fault;
	const delayMs = call.answer.delayMs ?? 0;
	let strike = fault !== undefined && "afterChunks" in fault ? fault : undefined;
	let chunks = 0;
	let pieces = 0;
	let batch = "";
	for (const piece of protocol.stream(call)) {
		if (!connection.open) return;
		if (truncated && piece.kind === "terminal") break;
		const striking = strike !== undefined && isDue(piece, chunks, strike.afterChunks);
		const waiting = delayMs > 0 && piece.kind === "delta" && chunks > 0;
		if (striking || waiting || batch.length >= limits.batchChars) {
			await body.write(batch);
			batch = "";
		}
		if (waiting) await connection.pause(delayMs);
		if (striking && strike !== undefined) {
			if ("errorEvent" in strike) return body.end(protocol.errorEvent(strike.errorEvent, pieces));
			if ("pauseMs" in strike) await connection.pause(strike.pauseMs);
			else batch = `${strike.malformedLine}\n\n`;
			strike = undefined;
		}
		batch += piece.text;
		pieces++;
		if (piece.kind === "delta") chunks++;
	}
	await body.end(batch);
	if (truncated) await outlet.endEarly?.();
}

/** A fault after more chunks than there are still happens, before the answer ends. */
function isDue(piece: Piece, chunks: number, afterChunks: number): boolean {
	return piece.kind === "terminal" || (piece.kind === "delta" && chunks >= afterChunks);
}

/** A fault that needs events happens to a non-streamed answer as a whole. */
async function respondWhole(connection: Connection, performance: Performance): Promise<void> {
	const { call, fault, outlet, protocol, requestId } = performance;
	const headers = { "content-type": "application/json", ...protocol.headers(requestId) };
	const body = JSON.stringify(protocol.whole(call));
	const send = (text: string, tearAt?: number) => outlet.whole({ status: 200, headers, body: text }, tearAt);
	if (fault === undefined) return send(body);
	if ("tornAtByte" in fault) return send(body, fault.tornAtByte);
	if ("malformedLine" in fault) return send(fault.malformedLine);
	if ("truncated" in fault) return send(body.slice(0, body.length / 2));
	if ("errorEvent" in fault) {
		const http = fault.errorEvent.type === "overloaded_error" ? 529 : 500;
		return outlet.whole(protocol.error({ http, error: fault.errorEvent }, requestId));
	}
	if ("pauseMs" in fault) await connection.pause(fault.pauseMs);
	return send(body);
}
