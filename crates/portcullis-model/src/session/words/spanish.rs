//! Spanish.

use super::{Acts, Language, Role};

/// The words of Spanish.
pub(in crate::session) static SPANISH: Language = Language {
    phrases: &[],
    is_spaced: true,
    acts: &[
        (
            Acts::READ,
            "muestra mostrar muestrame lee leer busca buscar encuentra lista listar revisa comprueba mira resume explica \
             compara",
        ),
        (
            Acts::CHANGE,
            "cambios cambio aplica aplicar aplicalo arreglar crea crear anade anadir agrega agregar modifica modificar cambia cambiar escribe escribir edita editar \
             actualiza actualizar mueve mover renombra reemplaza guarda corrige corregir programa programar pon arregla \
             copia",
        ),
        (
            Acts::DELETE,
            "borra borrar borres borre elimina eliminar elimines elimine quita quitar cancela cancelar deten detener para \
             parar destruye vacia vaciar limpia limpiar descarta",
        ),
        (
            Acts::SEND,
            "envia enviar envies envie manda mandar mandes responde responder contesta reenvia avisa informa notifica \
             publica escribe llama",
        ),
        (Acts::SHARE, "comparte compartir invita invitar da dar otorga autoriza permite"),
        (
            Acts::PAY,
            "paga pagar compra comprar transfiere transferir pide pedir reserva reservar reembolsa devuelve dona",
        ),
        (
            Acts::PUBLISH,
            "publica publicar sube subir despliega desplegar fusiona fusionar push merge lanza hagas",
        ),
        (
            Acts::RUN,
            "ejecuta ejecutar inicia iniciar arranca instala instalar prueba probar compila",
        ),
        (
            Acts::ADMINISTER,
            "contrasena activa activar desactiva desactivar bloquea desbloquea restablece permisos cuenta ajustes",
        ),
        (Acts::COMMIT, "commit commitear"),
    ],
    roles: &[
        (Role::Please, "favor"),
        (Role::Anything, "nada"),
        (Role::Not, "no nunca jamas sin ningun ninguna nada tampoco"),
        (Role::Forget, "olvides olvide olvidar"),
        (Role::Only, "solo solamente unicamente"),
        (Role::Ask, "preguntar pregunta preguntarme confirmacion permiso aprobacion consultar"),
        (
            Role::Touch,
            "toques tocar toque toca modifiques modificar modifica cambies cambiar cambie edites editar edita",
        ),
        (Role::Demand, "debes debe tienes ahora debera hay"),
        (Role::And, "y luego pero tambien o despues"),
    ],
};
