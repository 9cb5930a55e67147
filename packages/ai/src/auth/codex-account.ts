/** The account of a ChatGPT login. */
import { object, parseObject, string } from "../json.ts";

const claims = "https://api.openai.com/auth";

/** It is in the token itself: a JWT, whose second part is JSON. Empty if it names none. */
export function codexAccount(token: string): string {
	const payload = Buffer.from(token.split(".")[1] ?? "", "base64url").toString();
	return string(object(object(parseObject(payload))[claims]).chatgpt_account_id);
}
