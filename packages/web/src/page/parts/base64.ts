/** Bytes as text and back, as the browser does it: no loop of ours holds up a key. */

/** Without the prefix of an address. */
export function base64(blob: Blob): Promise<string> {
	const { promise, resolve, reject } = Promise.withResolvers<string>();
	const reader = new FileReader();
	reader.addEventListener("load", () => resolve(String(reader.result).replace(/^[^,]*,/, "")));
	reader.addEventListener("error", () => reject(reader.error ?? new Error("The file cannot be read.")));
	reader.readAsDataURL(blob);
	return promise;
}

export function bytesOf(data: string): Uint8Array<ArrayBuffer> {
	return Uint8Array.fromBase64(data);
}
