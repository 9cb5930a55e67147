/** A host's signed refusal of a guest: a relay cannot forge it. */
import { concat, sha256, textOf, utf8, type Bytes } from "./bytes.ts";
import { isSigned, sign } from "./keys.ts";

const tag = utf8("tau room v1 refusal");
const signatureBytes = 64;

/** `asked` is the message of the handshake that it answers. */
export async function writeRefusal(signer: CryptoKey, asked: Bytes, reason: string): Promise<Bytes> {
	const text = utf8(reason);
	return concat(await sign(signer, tag, await sha256(asked), text), text);
}

/** Undefined where it is not the host's. */
export async function readRefusal(key: CryptoKey, asked: Bytes, bytes: Bytes): Promise<string | undefined> {
	const [signature, text] = [bytes.slice(0, signatureBytes), bytes.slice(signatureBytes)];
	if (!(await isSigned(key, signature, tag, await sha256(asked), text))) return undefined;
	return textOf(text);
}
