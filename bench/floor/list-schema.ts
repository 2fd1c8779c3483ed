const text = { type: 'string' };

/** What the floors hold an answer to a list call to. */
export const listSchema = {
  type: 'object',
  required: ['items'],
  properties: {
    items: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'displayName', 'agent'],
        properties: { id: text, displayName: text, agent: text },
      },
    },
    nextPageLink: { type: ['string', 'null'] },
    count: { type: ['integer', 'null'], minimum: 0 },
  },
};
