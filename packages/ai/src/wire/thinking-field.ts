/** The fields in which OpenAI-compatible servers send plain thinking. */
export const thinkingFields = ["reasoning_content", "reasoning", "reasoning_text"] as const;
type ThinkingField = (typeof thinkingFields)[number];

/**
 * The name of the field is the signature of such thinking, as in pi's sessions, so that it can be sent back in the
 * same field.
 */
export function isThinkingField(signature: string | undefined): signature is ThinkingField {
	return thinkingFields.some((field) => field === signature);
}
