/** The fields in which servers that speak like OpenAI show thinking in plain words. */
export const thinkingFields = ["reasoning_content", "reasoning", "reasoning_text"] as const;
type ThinkingField = (typeof thinkingFields)[number];

/**
 * The name of the field stands as the signature of such thinking, as in pi's sessions, so that it can be sent back in
 * the field that it came in.
 */
export function isThinkingField(signature: string | undefined): signature is ThinkingField {
	return thinkingFields.some((field) => field === signature);
}
