/**
 * Control characters, format characters (including bidirectional marks), lone surrogates, line and paragraph
 * separators, noncharacters and other invisible characters.
 */
export const INVISIBLE_CHARACTERS =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}]/gu;
