// Without `validatorUrl: null`, Swagger UI sends the document to a validator on the internet.
SwaggerUIBundle({ url: "/openapi.json", dom_id: "#page", deepLinking: true, validatorUrl: null });
